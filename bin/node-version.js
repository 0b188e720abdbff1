// Plain enough for every Node with modules: an old one gets a sentence instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    'cc-context needs Node 22.13 or newer; this is Node ' +
      process.versions.node +
      '.\nInstall one from https://nodejs.org, or with nvm or fnm.',
  );
  process.exit(1);
}
