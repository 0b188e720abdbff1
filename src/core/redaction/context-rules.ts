import { looksLikeSecret } from './assigned-value.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Rule } from './rule.ts';

/** Quotes, blanks and what is left of them at any level of JSON escaping; `\n` and `\t` among them. */
const GLUE = String.raw`(?:[\s"'\x60\\\])]|(?<=\\)[nrt]){0,24}`;
/** What puts a value to a name: env, YAML, JSON, code, XML, a call's next argument, `--flag value`, `name: X, value: Y`. */
const ASSIGN = String.raw`(?::[ \t]*[A-Za-z&][A-Za-z&\[\]?|. ]{0,23}=(?!=)|:=|=>|[=!]==?|[=:>]|(?<=["'\x60]),(?=\s{0,4}\\{0,8}["'\x60])|(?:[,\n]|\\n)${GLUE}[Vv]alue${GLUE}[=:])`;
/** After a quote up to the next one, else up to what ends a word, an item or a parameter of a query. */
const VALUE = String.raw`(?:(?<=["'\x60])([^\s"'\x60\\]{8,2048})(?=\\{0,8}["'\x60])|((?:[^\s"'\x60\\<>,;&]|&(?![A-Za-z_][A-Za-z0-9_.-]{0,40}=)){8,2048}))`;
/** An own mask is no name. */
const NOT_MASKED = String.raw`(?<!\[REDACTED:[a-z0-9-]{0,40})`;

/** A value whose shape says nothing without the name of its provider before it. */
function named(name: string, trigger: string, value: string): Rule {
  const words = String.raw`[A-Za-z0-9_.-]{0,30}`;
  return {
    name,
    triggers: [trigger],
    anyCase: true,
    pattern: new RegExp(`${NOT_MASKED}${trigger}${words}${GLUE}${ASSIGN}${GLUE}(${value})(?![A-Za-z0-9])`, 'diy'),
    verify: (secret) => !isPlaceholder(secret),
  };
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const NAMED: readonly Rule[] = [
  named('aws-secret-access-key', 'secret_access_key', '[A-Za-z0-9/+=]{40}'),
  named('aws-secret-access-key', 'secretaccesskey', '[A-Za-z0-9/+=]{40}'),
  named('aws-secret-access-key', 'aws_secret', '[A-Za-z0-9/+=]{40}'),
  named('aws-session-token', 'aws_session', '[A-Za-z0-9/+=]{100,4096}'),
  named('heroku-key', 'heroku', UUID),
  named('cloudflare-key', 'cloudflare', '[a-f0-9]{37}|[A-Za-z0-9_-]{40}'),
  named('cloudflare-key', 'cf_api', '[a-f0-9]{37}|[A-Za-z0-9_-]{40}'),
  named('vercel-token', 'vercel', '[A-Za-z0-9]{24}'),
  named('twilio-auth-token', 'twilio', '[a-f0-9]{32}'),
  named('mailgun-key', 'mailgun', '[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}'),
  named('datadog-key', 'datadog', '[a-f0-9]{40}|[a-f0-9]{32}'),
  named('datadog-key', 'dd_ap', '[a-f0-9]{40}|[a-f0-9]{32}'),
];

/** The bridge's messaging token and the like, which `env` prints in the Bash tool. Plurals are limits, not secrets. */
const CLAUDE_CODE_TOKEN: Rule = {
  name: 'claude-code-token',
  triggers: ['CLAUDE_CODE_'],
  pattern: new RegExp(`CLAUDE_CODE_[A-Z_]{0,40}TOKEN(?!S)[A-Z_]{0,40}${GLUE}${ASSIGN}${GLUE}${VALUE}`, 'dy'),
  verify: (secret) => /[0-9A-Za-z]/.test(secret) && !isPlaceholder(secret) && !/^[$<{(]|^process\.|^os\./.test(secret),
};

const HEADER: Rule = {
  name: 'authorization-header',
  triggers: ['authorization', 'bearer'],
  anyCase: true,
  pattern: new RegExp(
    `${NOT_MASKED}(?:(?:proxy-)?authorization${GLUE}[:=,]${GLUE}(?:(?:bearer|basic|token|bot|apikey)[ \\t]{1,4})?|(?<![A-Za-z0-9_])bearer[ \\t]{1,4})` +
      String.raw`([A-Za-z0-9_.~+/=-]{12,4096})`,
    'diy',
  ),
  verify: (secret, match) => isCredential(secret, /basic[ \t]{1,4}$/i.test(match[0].slice(0, -secret.length))),
};

const URL_PASSWORD: Rule = {
  name: 'url-password',
  triggers: ['://'],
  pattern: /:\/\/[^\s:@/"'<>`\\]{0,100}:([^\s@/"'<>`\\]{3,256})@[A-Za-z0-9[$<{]/dy,
  verify: (secret, match) => isPassword(secret) && match[0].slice(3, match[0].indexOf(':', 3)) !== secret,
};

const CURL_USER: Rule = {
  name: 'curl-password',
  triggers: ['curl '],
  pattern: /curl [^\n]{0,400}?(?:-u|--user)[ =]?\\{0,4}["']?[A-Za-z0-9_.@+-]{1,80}:([^\s"'\\]{6,256})/dy,
  verify: isPassword,
};

const NETRC: Rule = {
  name: 'netrc-password',
  triggers: ['machine '],
  pattern: /machine [^\s]{1,200}(?:\s|\\n){1,8}login [^\s\\]{1,200}(?:\s|\\n){1,8}password ([^\s"'\\]{4,256})/dy,
  verify: isPassword,
};

/** Docker's config.json: base64 of `user:password`. */
const DOCKER_AUTH: Rule = {
  name: 'docker-auth',
  triggers: ['auth"', 'auth\\"', '_auth='],
  pattern: /_?auth[\\"]{0,9}[ \t]{0,4}[:=][ \t]{0,4}[\\"]{0,9}([A-Za-z0-9+/]{12,1024}={0,2})/dy,
  verify: (secret) => isCredential(secret, true),
};

const KEYWORDS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'api_key',
  'apikey',
  'api-key',
  'access_key',
  'access-key',
  'accesskey',
  'private_key',
  'private-key',
  'privatekey',
  'auth_key',
  'auth-key',
  'authkey',
  'encryption_key',
  'encryptionkey',
  'signing_key',
  'signingkey',
  'master_key',
  'masterkey',
  'credential',
  '_pass',
  'pwd',
  'account_key',
];
/** `tokens` stands in every record (`input_tokens`), so this one comes with what may follow it. */
const TOKEN = ['"', "'", '`', '\\', '=', ':', ' ', '_', '-', ']', ')', '>', ',', 'v', 'k', '1', '2', '3'].map(
  (next) => `token${next}`,
);
/** What may follow in the name; `tokens`, `token_count`, `secretName` are no secrets. */
const SUFFIX =
  '(?:[_-]?(?:key|value|val|prod|production|staging|stage|dev|test|live|main|base|hash|v?[0-9]{1,3})(?![A-Za-z])){0,2}(?![A-Za-z0-9_-])';

const ASSIGNMENT: Rule = {
  name: 'generic-secret',
  triggers: [...KEYWORDS, ...TOKEN],
  anyCase: true,
  pattern: new RegExp(
    `${NOT_MASKED}(?:${KEYWORDS.join('|')}|token)${SUFFIX}(?:${GLUE}${ASSIGN}|(?<=--[a-z-]{1,30}) )${GLUE}${VALUE}`,
    'diy',
  ),
  hint: new RegExp(
    `(?:${KEYWORDS.join('|')}|token)${SUFFIX}(?:${GLUE}${ASSIGN}|(?<=--[a-z-]{1,30}) )${GLUE}[^\\s"'\`<>,;&]{4}`,
    'diy',
  ),
  tail: /[^\s"'`\\<>,;&]*/y,
  verify: looksLikeSecret,
};

/** Lines of base64 with what separates them in a file, a diff, a quoted mail, source code, an array of strings. */
const BETWEEN = String.raw`[\s\\"'+,>|()nr.]`;
const PRIVATE_KEY: Rule = {
  name: 'private-key',
  triggers: ['-----BEGIN '],
  pattern: new RegExp(
    String.raw`-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[A-Za-z0-9+/=\s\\"',:;()>|.\xe2\x86\x92-]){20,32000}` +
      String.raw`-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|(?:${BETWEEN}{0,24}(?:[0-9]{1,7}(?:\xe2\x86\x92|\t))?[A-Za-z0-9+/=]{20,}){1,})`,
    'dy',
  ),
  hint: /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY/y,
  tail: new RegExp(String.raw`(?<![-])${BETWEEN}{0,24}[A-Za-z0-9+/]{1,76}={0,2}(?=[\\"'\s]*$)`, 'y'),
  verify: (secret) =>
    /[A-Za-z0-9+/=]{20}/.test(secret.replace(/^-----.*?KEY(?: BLOCK)?-----/, '').replace(/-----.*/s, '')) &&
    !/\.{3}|x{8}/i.test(secret),
};

export const contextRules: readonly Rule[] = [
  PRIVATE_KEY,
  CLAUDE_CODE_TOKEN,
  ...NAMED,
  HEADER,
  URL_PASSWORD,
  CURL_USER,
  NETRC,
  DOCKER_AUTH,
  ASSIGNMENT,
];

function isPassword(secret: string): boolean {
  return (
    !isPlaceholder(secret) &&
    !/^(?:pass(?:word|wd)?|pwd|pw|secret|token|user|admin|root|postgres|test|guest|key|abc|xyz|123|1234|12345|123456|qwerty|\*+|\$[A-Z_]+|%[a-z]|(?:\$?[{(<[]|%[({]).*)$/i.test(
      secret,
    )
  );
}

function isCredential(secret: string, basic: boolean): boolean {
  if (isPlaceholder(secret)) return false;
  if (!basic) return secret.length >= 16 && /[0-9]/.test(secret) && /[A-Za-z]/.test(secret);
  const [, user, password] = /^([\x20-\x7e]*?):([\x20-\x7e]+)$/.exec(Buffer.from(secret, 'base64').toString('latin1')) ?? [];
  return user !== undefined && password !== undefined && isPassword(password);
}
