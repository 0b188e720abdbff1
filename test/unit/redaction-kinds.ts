/**
 * Made-up secrets of every kind the rules know. They are put together when the tests run, from prefixes that are cut in
 * two and seeded noise, so that no scanner takes this repository for a leak.
 */
export interface Kind {
  name: string;
  /** Names of rules that may claim it. */
  rules: readonly string[];
  /** The part that may not survive. */
  secret: string;
  /** How it stands in a text. */
  text: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = UPPER + LOWER + DIGITS;
const HEX = `${DIGITS}abcdef`;
const WORD = `${ALNUM}_-`;
const BASE64 = `${ALNUM}+/`;

/** A repeatable source of noise: mulberry32. */
export function noise(seed: number): (length: number, alphabet?: string) => string {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return (length, alphabet = ALNUM) => {
    let text = '';
    while (text.length < length) text += alphabet[Math.floor(next() * alphabet.length)];
    return text;
  };
}

/** All kinds, made anew from a seed. */
export function kinds(seed: number): Kind[] {
  const r = noise(seed);
  const uuid = () => [8, 4, 4, 4, 12].map((length) => r(length, HEX)).join('-');
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const list: Kind[] = [];
  const bare = (name: string, ...parts: string[]) => {
    const secret = parts.join('');
    list.push({ name, rules: [name], secret, text: `the value ${secret} was printed` });
  };
  const within = (name: string, secret: string, before: string, after = '') => {
    list.push({ name, rules: [name, 'generic-secret'], secret, text: `${before}${secret}${after}` });
  };

  bare('aws-access-key-id', 'AK', 'IA', r(16, `${UPPER}234567`));
  bare('aws-access-key-id', 'AS', 'IA', r(16, `${UPPER}234567`));
  within('aws-secret-access-key', r(40, BASE64), 'aws_secret_access_' + 'key = ');
  within('aws-secret-access-key', r(40, BASE64), '{"Secret' + 'AccessKey": "', '"}');
  within('aws-session-token', r(200, BASE64), 'AWS_SESSION_' + 'TOKEN=');
  bare('gcp-api-key', 'AI', 'za', r(35, WORD));
  bare('google-oauth-token', 'ya', '29.', r(60, WORD));
  bare('google-client-secret', 'GOC', 'SPX-', r(28, WORD));
  for (const letter of 'pousr') bare('github-token', `gh${letter}`, '_', r(36));
  bare('github-token', 'github', '_pat_', r(22), '_', r(59));
  bare('gitlab-token', 'gl', 'pat-', r(20, WORD));
  bare('gitlab-token', 'gl', 'dt-', r(20, WORD));
  bare('gitlab-token', 'gl', 'rt-', r(20, WORD));
  bare('slack-token', 'xo', 'xb-', r(12, DIGITS), '-', r(12, DIGITS), '-', r(24));
  bare('slack-token', 'xo', 'xp-', r(12, DIGITS), '-', r(12, DIGITS), '-', r(32, HEX));
  bare('slack-token', 'xa', 'pp-1-', r(11, UPPER), '-', r(13, DIGITS), '-', r(64, HEX));
  within('slack-webhook', `T${r(10, UPPER)}/B${r(10, UPPER)}/${r(24)}`, 'https://hooks.slack.' + 'com/services/');
  bare('stripe-key', 'sk_', 'live_', r(24));
  bare('stripe-key', 'rk_', 'live_', r(24));
  bare('stripe-key', 'sk_', 'test_', r(24));
  bare('anthropic-key', 'sk-', 'ant-api03-', r(93, WORD), 'AA');
  bare('openai-key', 'sk-', 'proj-', r(74, WORD), 'T3Blbk', 'FJ', r(74, WORD));
  bare('openai-key', 'sk-', r(20), 'T3Blbk', 'FJ', r(20));
  bare('npm-token', 'np', 'm_', r(36));
  bare('pypi-token', 'py', 'pi-AgEIcHlwaS5vcmc', r(80, WORD));
  bare('huggingface-token', 'h', 'f_', r(34, UPPER + LOWER));
  bare('sendgrid-key', 'S', 'G.', r(22, WORD), '.', r(43, WORD));
  bare('twilio-key', 'S', 'K', r(32, HEX));
  within('twilio-auth-token', r(32, HEX), 'TWILIO_AUTH_' + 'TOKEN=');
  bare('mailgun-key', 'ke', 'y-', r(32, HEX));
  bare('telegram-bot-token', r(10, '123456789'), ':A', 'A', r(33, WORD));
  bare('discord-token', Buffer.from(r(18, '123456789')).toString('base64url'), '.', r(6), '.', r(38, WORD));
  within('discord-webhook', r(68, WORD), `https://discord.com/api/web${'hooks/'}${r(18, '123456789')}/`);
  bare('digitalocean-token', 'do', 'p_v1_', r(64, HEX));
  within('heroku-key', uuid(), 'HEROKU_API_' + 'KEY=');
  bare('shopify-token', 'sh', 'pat_', r(32, HEX));
  bare('square-token', 'sq', '0atp-', r(22, WORD));
  bare('databricks-token', 'da', 'pi', r(32, HEX));
  bare('docker-token', 'dck', 'r_pat_', r(27, WORD));
  bare('vault-token', 'hv', 's.', r(90, WORD));
  bare('terraform-token', r(14), '.atlas', 'v1.', r(67, WORD));
  bare('linear-key', 'lin', '_api_', r(40));
  bare('notion-token', 'nt', 'n_', r(46));
  bare('notion-token', 'sec', 'ret_', r(43));
  bare('supabase-token', 'sb', 'p_', r(40, HEX));
  within('vercel-token', r(24), 'VERCEL_' + 'TOKEN=');
  within('cloudflare-key', r(40, WORD), 'CLOUDFLARE_API_' + 'TOKEN=');
  within(
    'azure-storage-key',
    `${r(86, BASE64)}==`,
    'DefaultEndpointsProtocol=https;AccountName=shop;Account' + 'Key=',
    ';EndpointSuffix=core.windows.net',
  );
  bare('age-secret-key', 'AGE-SECRET', '-KEY-1', r(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'));
  bare('cc-context-key', 'cck', '1_', r(64, HEX));
  bare('jwt', encoded({ alg: 'HS256', typ: 'JWT' }), '.', encoded({ sub: r(12), iat: 1_700_000_000 }), '.', r(43, WORD));
  within('private-key', pemBody(r), `-----BEGIN RSA PRIVATE ${'KEY'}-----\n`, `\n-----END RSA PRIVATE ${'KEY'}-----\n`);
  within('private-key', pemBody(r), `-----BEGIN ${'PRIVATE KEY'}-----\n`);
  within('url-password', `${r(14)}!z`, 'DATABASE_URL=postgres://app:', '@db.internal:5432/app');
  within('claude-code-token', r(40), 'CLAUDE_CODE_MESSAGING_' + 'TOKEN=');
  within('authorization-header', r(40), 'Authorization: ' + 'Bearer ');
  within(
    'authorization-header',
    Buffer.from(`deploy:${r(14)}`).toString('base64'),
    '-H "Authorization: ' + 'Basic ',
    '" https://host/',
  );
  within('generic-secret', `${r(12)}9#kQ`, 'DB_PASS' + 'WORD=');
  within('generic-secret', `${r(28)}7x`, 'const apiKey = "', '";');
  within('generic-secret', `${r(28)}7x`, '"client_' + 'secret": "', '",');
  within('generic-secret', `${r(28)}7x`, 'access_' + 'token: ');
  return list;
}

function pemBody(r: (length: number, alphabet?: string) => string): string {
  const lines = Array.from({ length: 12 }, () => r(64, BASE64));
  return [...lines, `${r(30, BASE64)}==`].join('\n');
}
