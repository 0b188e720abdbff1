import { isPlaceholder } from './placeholders.ts';
import { DASH_EDGE, EDGE, type Rule } from './rule.ts';

/** A token that its own prefix tells: name, triggers, the token as a regular expression. */
type Row = readonly [name: string, triggers: readonly string[], token: string];

/**
 * Formats as their issuers document them and as the rules of gitleaks (https://github.com/gitleaks/gitleaks) have them.
 * No upper limit where the issuer names none: what is longer than expected is masked to its end.
 */
const TOKENS: readonly Row[] = [
  ['aws-access-key-id', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{36,}'],
  ['github-token', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{36,}'],
  ['stripe-key', ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'], '[sr]k_(?:live|test)_[A-Za-z0-9]{16,}'],
  ['stripe-webhook-secret', ['whsec_'], 'whsec_[A-Za-z0-9+/=]{24,}'],
  ['npm-token', ['npm_'], 'npm_[A-Za-z0-9]{36,}'],
  ['huggingface-token', ['hf_', 'api_org_'], '(?:hf|api_org)_[A-Za-z0-9]{34,}'],
  ['digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 'do[por]_v1_[a-f0-9]{64,}'],
  ['shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}'],
  ['databricks-token', ['dapi'], 'dapi[a-f0-9]{32}(?:-\\d)?(?![A-Za-z0-9])'],
  ['linear-key', ['lin_api_', 'lin_oauth_'], 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'],
  ['notion-token', ['ntn_'], 'ntn_[A-Za-z0-9]{40,}'],
  ['notion-token', ['secret_'], 'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
  ['supabase-token', ['sbp_'], 'sbp_(?:v0_)?[a-f0-9]{40,}'],
  ['age-secret-key', ['AGE-SECRET-KEY-1'], 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'],
  ['cc-context-key', ['cck1_'], 'cck1_[0-9a-fA-F]{64}(?![A-Za-z0-9])'],
  ['groq-key', ['gsk_'], 'gsk_[A-Za-z0-9]{48,}'],
  ['replicate-token', ['r8_'], 'r8_[A-Za-z0-9]{37,}'],
  ['netlify-token', ['nfp_', 'nfc_', 'nfu_'], 'nf[pcu]_[A-Za-z0-9_]{36,}'],
  ['rubygems-key', ['rubygems_'], 'rubygems_[a-f0-9]{48,}'],
  ['crates-io-token', ['cio'], 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['grafana-token', ['glsa_', 'glc_'], '(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,3})'],
  ['sentry-token', ['sntrys_', 'sntryu_'], 'sntry(?:s_[A-Za-z0-9+/_=-]{60,}|u_[a-f0-9]{64,})'],
  ['artifactory-key', ['AKCp'], 'AKCp[A-Za-z0-9]{69,}'],
  ['alibaba-access-key-id', ['LTAI'], 'LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])'],
  ['1password-token', ['ops_eyJ'], 'ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}'],
  ['twilio-key', hexAfter('SK'), 'SK[0-9a-fA-F]{32}(?![A-Za-z0-9])'],
  ['twilio-account', hexAfter('AC'), 'AC[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['dynatrace-token', ['dt0c01.', 'dt0s01.'], 'dt0[cs]01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
];

/** The same for tokens that may hold hyphens. */
const DASHED_TOKENS: readonly Row[] = [
  ['anthropic-key', ['sk-ant-'], 'sk-ant-[A-Za-z0-9_-]{20,}'],
  ['openrouter-key', ['sk-or-'], 'sk-or-(?:v1-)?[a-f0-9]{48,}'],
  ['openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], 'sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}'],
  ['openai-key', ['sk-'], 'sk-(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,}(?![A-Za-z0-9_-])'],
  ['gcp-api-key', ['AIza'], 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'],
  ['google-oauth-token', ['ya29.'], 'ya29\\.[A-Za-z0-9_.-]{20,}'],
  ['google-oauth-token', ['1//0'], '1//0[A-Za-z0-9_-]{40,}'],
  ['google-client-secret', ['GOCSPX-'], 'GOCSPX-[A-Za-z0-9_-]{28,}'],
  [
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glsoat-', 'glffct-'],
    'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,}',
  ],
  ['gitlab-token', ['GR1348941'], 'GR1348941[A-Za-z0-9_-]{20,}'],
  [
    'slack-token',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xapp-'],
    '(?:xox[abcdeoprs][.-]|xapp-)[A-Za-z0-9%+/_.-]{12,}',
  ],
  ['pypi-token', ['pypi-AgE'], 'pypi-AgE[A-Za-z0-9_-]{50,}'],
  ['sendgrid-key', ['SG.'], 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{32,}'],
  ['mailgun-key', ['key-'], 'key-[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['mailgun-key', ['pubkey-'], 'pubkey-[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['square-token', ['sq0atp-', 'sq0csp-', 'sq0idp-'], 'sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}'],
  ['square-token', ['EAAA'], 'EAAA[A-Za-z0-9_+=-]{60}(?![A-Za-z0-9/_+-])'],
  ['docker-token', ['dckr_pat_', 'dckr_oat_'], 'dckr_[po]at_[A-Za-z0-9_-]{24,}'],
  ['vault-token', ['hvs.', 'hvb.', 'hvr.'], 'hv[sbr]\\.[A-Za-z0-9_-]{24,}'],
  ['heroku-key', ['HRKU-'], 'HRKU-[A-Za-z0-9_-]{36,}'],
  ['supabase-secret', ['sb_secret_'], 'sb_secret_[A-Za-z0-9_-]{24,}'],
  ['vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], 'vc[piark]_[A-Za-z0-9_-]{24,}'],
  ['cloudflare-origin-key', ['v1.0-'], 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}'],
  ['new-relic-key', ['NRAK-', 'NRII-', 'NRJS-'], 'NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,}'],
  ['doppler-token', ['dp.pt.', 'dp.st.', 'dp.ct.'], 'dp\\.(?:pt|ct|st(?:\\.[a-z0-9_-]+)?)\\.[A-Za-z0-9]{40,}'],
  ['postman-key', ['PMAK-'], 'PMAK-[a-fA-F0-9]{24}-[a-fA-F0-9]{34}'],
  ['pulumi-token', ['pul-'], 'pul-[a-f0-9]{40,}'],
  ['fly-token', ['fo1_', 'fm2_'], '(?:fo1_[A-Za-z0-9_-]{43,}|fm2_[A-Za-z0-9+/]{100,}={0,3})'],
  ['xai-key', ['xai-'], 'xai-[A-Za-z0-9]{64,}'],
  ['perplexity-key', ['pplx-'], 'pplx-[A-Za-z0-9]{40,}'],
  ['tailscale-key', ['tskey-'], 'tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9_-]{16,}'],
  ['planetscale-token', ['pscale_'], 'pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,}'],
  ['figma-token', ['figd_'], 'figd_[A-Za-z0-9_-]{36,}'],
  ['brevo-key', ['xkeysib-', 'xsmtpsib-'], 'x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  ['atlassian-token', ['ATATT3', 'ATCTT3', 'ATBB'], '(?:AT[AC]TT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{28,}(?![A-Za-z0-9_-]))'],
  ['1password-key', ['A3-'], 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}'],
  ['discord-token', discordStarts(), '[MNO][A-Za-z0-9_-]{22,28}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}'],
];

const JWT: Rule = {
  ...rule('jwt', ['eyJ'], new RegExp(`${DASH_EDGE}eyJ[A-Za-z0-9_-]{12,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{16,}`, 'dy')),
  hint: new RegExp(`${DASH_EDGE}eyJ[A-Za-z0-9_-]{32}`, 'y'),
};

/** Secrets that stand after something fixed that is no part of them. */
const AFTER: readonly Rule[] = [
  rule('slack-webhook', ['hooks.slack.com/'], /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9+/_-]{30,})/dy),
  rule('discord-webhook', ['/api/webhooks/'], /\/api\/webhooks\/[0-9]{15,22}\/([A-Za-z0-9_-]{40,})/dy),
  rule('teams-webhook', ['/IncomingWebhook/'], /\/IncomingWebhook\/([a-f0-9]{32}\/[a-f0-9-]{36})/dy),
  {
    ...rule('telegram-bot-token', [':AA'], /(?<=(?<![0-9])[0-9]{8,10}):(AA[A-Za-z0-9_-]{32,34})(?![A-Za-z0-9_-])/dy),
    hint: /(?<=[0-9]{8}):AA[A-Za-z0-9_-]{32}/y,
  },
  rule('openai-key', ['T3BlbkFJ'], /(?<=sk-[A-Za-z0-9_-]{16,80})T3BlbkFJ[A-Za-z0-9_-]{16,}/dy),
  rule('terraform-token', ['.atlasv1.'], /(?<=[A-Za-z0-9]{14})\.atlasv1\.([A-Za-z0-9_=-]{60,})/dy),
  rule('azure-ad-secret', digitBefore('Q~'), /(?<=[A-Za-z0-9_~.]{3})[0-9]Q~[A-Za-z0-9_~.-]{31,34}/dy),
  rule('azure-storage-key', ['AccountKey=', 'SharedAccessKey='], /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})/dy),
  rule('azure-sas-signature', ['sig='], /(?<=[?&;"'\s])sig=([A-Za-z0-9%+/]{40,}(?:%3D|=){0,2})/dy),
];

export const providerRules: readonly Rule[] = [
  ...TOKENS.map(([name, triggers, token]) => rule(name, triggers, new RegExp(EDGE + token, 'dy'))),
  ...DASHED_TOKENS.map(([name, triggers, token]) => rule(name, triggers, new RegExp(DASH_EDGE + token, 'dy'))),
  JWT,
  ...AFTER,
];

function rule(name: string, triggers: readonly string[], pattern: RegExp): Rule {
  return { name, triggers, pattern, verify: (secret) => !isPlaceholder(secret) };
}

function digitBefore(suffix: string): string[] {
  return [...'0123456789'].map((digit) => digit + suffix);
}

function hexAfter(prefix: string): string[] {
  return [...'0123456789abcdefABCDEF'].map((digit) => prefix + digit);
}

/** A bot token begins with the base64 of the bot's id, a decimal number: these are the forms its first three digits take. */
function discordStarts(): string[] {
  return [...'MNO'].flatMap((a) => [...'DTjz'].flatMap((b) => [...'AEIMQUYcgk'].map((c) => a + b + c)));
}
