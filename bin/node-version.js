// Plain enough for every Node with modules: an old one gets a sentence instead of a syntax error.
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    'cc-context needs Node 22.13 or newer; this is Node ' +
      process.versions.node +
      '.\nInstall one, for example: npm install -g node@24',
  );
  process.exit(1);
}
module.enableCompileCache?.();
