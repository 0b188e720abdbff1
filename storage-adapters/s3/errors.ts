import { StoreError } from '../../src/errors.ts';
import { altered, anyOther, BY_CODE, BY_STATUS, broken, type Failure, noRegion, notS3 } from './sentences.ts';

/** What was asked of the bucket. */
export type Action = 'read' | 'write' | 'list' | 'remove';

/** The request that failed. */
export interface Asked {
  action: Action;
  bucket: string;
  /** The object, or the prefix of a list. */
  name: string;
  region: string;
  /** Null: AWS. */
  endpoint: string | null;
}

/**
 * The sentence for what went wrong with a request: a StoreUnavailable when the same request may work later, else a StoreError.
 * The text of the server is repeated only where nothing better is known.
 */
export function s3Error(cause: unknown, asked: Asked): StoreError {
  if (cause instanceof StoreError) return cause;
  const error = (typeof cause === 'object' && cause !== null ? cause : {}) as {
    name?: string;
    code?: unknown;
    Code?: unknown;
    message?: string;
    $metadata?: { httpStatusCode?: number };
    $response?: { headers?: Record<string, string> };
  };
  const failure: Failure = {
    ...asked,
    cause,
    code: String(error.Code ?? error.code ?? error.name ?? 'Error'),
    status: error.$metadata?.httpStatusCode ?? 0,
    message: (error.message ?? '')
      .replaceAll(/\s+/g, ' ')
      .replace(/^UnknownError$/, '')
      .slice(0, 200),
    headers: error.$response?.headers ?? {},
    where: asked.endpoint ?? `S3 in ${asked.region || 'AWS'}`,
  };
  const { code, status, message } = failure;
  if (/Region is missing/.test(message)) return noRegion(failure);
  if (/^ERR_SSL_/.test(code)) return BY_CODE.get('EPROTO')!(failure);
  if (/^(aborted|socket hang up)$/.test(message)) return broken(failure);
  if (/^Checksum mismatch/.test(message) || /^HPE_/.test(code)) return altered(failure);
  const known = BY_CODE.get(code) ?? BY_STATUS[status];
  if (known !== undefined) return known(failure);
  return status > 0 && !isS3(error) ? notS3(failure) : anyOther(failure);
}

/** Every error of S3 names its code in XML; what has none comes from something else. */
function isS3({ Code }: { Code?: unknown }): boolean {
  return typeof Code === 'string';
}
