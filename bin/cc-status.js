#!/usr/bin/env node
import './node-version.js';

const { main } = await import('../dist/cli.js');
await main(['status', ...process.argv.slice(2)]);
