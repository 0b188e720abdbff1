import { describe, expect, it } from 'vitest';
import { mayHoldSecret, redactRecord, redactText } from '../../src/core/redaction/index.ts';
import { encodings, survives } from './redaction-encodings.ts';
import { kinds, noise } from './redaction-kinds.ts';

describe.each(Object.entries(encodings))('secrets, %s', (_, encode) => {
  it.each(kinds(1).map((kind, i) => [`${i} ${kind.name}`, kind] as const))('%s', (_name, kind) => {
    const input = Buffer.from(encode(kind.text));
    expect(survives(kind, input)).toBe(true);
    expect(mayHoldSecret(input, 0, input.length)).toBe(true);
    const { bytes, counts } = redactRecord(input);
    expect(survives(kind, bytes)).toBe(false);
    expect(bytes.toString().match(/\[REDACTED:[a-z0-9-]+\]/g)?.length).toBe(Object.values(counts).reduce((a, b) => a + b, 0));
    if (input[0] === 0x7b) expect(() => JSON.parse(bytes.toString())).not.toThrow();
    expect(redactRecord(bytes)).toEqual({ bytes, counts: {} });
    expect(redactRecord(bytes).bytes).toBe(bytes);
  });
});

describe('what a redaction leaves', () => {
  it.each(kinds(2).map((kind, i) => [`${i} ${kind.name}`, kind] as const))(
    'all but the secret, under the name of its kind: %s',
    (_name, kind) => {
      const { bytes, counts } = redactText(Buffer.from(kind.text));
      const [rule] = Object.keys(counts) as [string];
      expect(kind.rules).toContain(rule);
      expect(counts).toEqual({ [rule]: 1 });
      const [before, after, ...more] = bytes.toString().split(`[REDACTED:${rule}]`) as [string, string];
      expect(more).toEqual([]);
      expect(kind.text.startsWith(before)).toBe(true);
      expect(kind.text.endsWith(after)).toBe(true);
      expect(kind.text.length - before.length - after.length).toBeLessThanOrEqual(
        kind.secret.length + (rule === 'private-key' ? 70 : 0),
      );
    },
  );

  it('every byte around it, whatever it is', () => {
    const secret = `gh${'p_'}${noise(3)(36)}`;
    const before = Buffer.from('{"a":1.50e+3,"b":"\\u00e9\\/\xff\xfe\0 \x80","c":"x \\ud83d\\n', 'latin1');
    const after = Buffer.from('\\t\xc3","d":1E5}\r\n', 'latin1');
    const { bytes, counts } = redactRecord(Buffer.concat([before, Buffer.from(secret), after]));
    expect(bytes).toEqual(Buffer.concat([before, Buffer.from('[REDACTED:github-token]'), after]));
    expect(counts).toEqual({ 'github-token': 1 });
  });

  it('counts each of several', () => {
    const r = noise(4);
    const line = `A=gh${'p_'}${r(36)} B=np${'m_'}${r(36)} C=gh${'o_'}${r(36)}`;
    expect(redactRecord(Buffer.from(JSON.stringify({ line }))).counts).toEqual({ 'github-token': 2, 'npm-token': 1 });
  });

  it('masks a private key that an array holds line by line, and the array stays one', () => {
    const r = noise(5);
    const key = Array.from({ length: 6 }, () => r(64));
    const lines = [
      '+++ b/id_rsa',
      `+-----BEGIN ${'PRIVATE KEY'}-----`,
      ...key.map((line) => `+${line}`),
      `+-----END ${'PRIVATE KEY'}-----`,
      ' after',
    ];
    const { bytes } = redactRecord(Buffer.from(JSON.stringify({ structuredPatch: [{ lines }] })));
    const output = JSON.parse(bytes.toString()).structuredPatch[0].lines;
    expect(output).toHaveLength(lines.length);
    expect(output.at(-1)).toBe(' after');
    for (const line of key) expect(bytes.toString()).not.toContain(line);
  });

  it('masks a whole run of base64 and nothing beside it', () => {
    const inner = `export API_${'TOKEN'}=${noise(6)(32)}1`;
    const { bytes } = redactRecord(Buffer.from(JSON.stringify({ t: `a ${Buffer.from(inner).toString('base64')} z` })));
    expect(bytes.toString()).toMatch(/^\{"t":"a \[REDACTED:generic-secret\](?:={1,2})? z"\}$/);
  });
});

describe('what is no secret comes back as the same Buffer', () => {
  const long = noise(7);
  it.each([
    ['nothing', ''],
    ['a newline', '\n'],
    ['half a record', '{"type":"user","message":{"content":"half of'],
    ['the other half', 'of it\\n","n":1}\n'],
    ['NUL bytes', '\0\0\0{"a"\0}'],
    ['invalid UTF-8', '{"a":"\xff\xfe\xc3"}'],
    ['bad escapes', '{"a":"\\x \\u12 \\uD800 \\'],
    ['usage', '{"usage":{"input_tokens":12,"cache_read_input_tokens":15000,"max_tokens":32000}}'],
    ['limits', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS=32000 CLAUDE_CODE_OAUTH_TOKEN=$TOKEN'],
    ['placeholders', 'API_KEY=your-api-key-here-1 PASSWORD=changeme123 token: "<token-1234567>" SECRET=${SECRET_1234}'],
    ['code', 'const token = getToken2(request); password: string; secret = config.auth.secret1; token: tokens[index1]'],
    ['names', 'secretName: prod-db-credentials-2, token_count=123456789, "passwordField": "user_password_1"'],
    [
      'URLs',
      'http://user:pass@host/ https://host:8080/a@b postgres://u:${DB_PASS}@h ftp://x:<password>@h redis://postgres:postgres@h',
    ],
    ['documentation', `AKIA${'IOSFODNN7EXAMPLE'} sk-ant-${'x'.repeat(40)} ghp_${'x'.repeat(36)}`],
    ['mentions', 'Grep for "-----BEGIN PRIVATE KEY-----" and sk-ant-, ghp_, eyJ.'],
    [
      'masks',
      'token=[REDACTED:generic-secret] https://u:[REDACTED:url-password]@h Authorization: Bearer [REDACTED:authorization-header]',
    ],
    [
      'an image',
      `{"type":"image","source":{"data":"${Buffer.from(
        long(90_000).replace(/./gs, (c, i) => String.fromCharCode((c.charCodeAt(0) * 31 + i * i) & 255)),
        'latin1',
      ).toString('base64')}"}}`,
    ],
    [
      'hashes',
      `{"sha":"${long(40, '0123456789abcdef')}","integrity":"sha512-${long(86)}==","uuid":"550e8400-e29b-41d4-a716-446655440000"}`,
    ],
  ])('%s', (_, text) => {
    const input = Buffer.from(text, 'latin1');
    const { bytes, counts } = redactRecord(input);
    expect(bytes).toBe(input);
    expect(counts).toEqual({});
    expect(redactText(input).bytes).toBe(input);
  });
});
