/** A piece of a file: the SHA-256 of its content and its length in bytes. */
export type ChunkRef = [hash: string, size: number];

/** One captured file of a session. */
export interface ManifestFile {
  /**
   * `transcript.jsonl`; `side/<path>` for what lies in the session's own folder (subagents, tool results); `project/agent-<id>.jsonl` for
   * the subagents that versions before 2.1 put beside the transcript.
   */
  path: string;
  /** Bytes after redaction. */
  size: number;
  chunks: ChunkRef[];
}

export interface ManifestSession {
  session_id: string;
  agent: 'claude-code';
  agent_version: string | null;
  /** Salted hash of the account, null when unknown. */
  account: string | null;
  /** Directory the session worked in, relative to the work tree (`.` for its top); null when outside. */
  cwd: string | null;
  /** The same as an absolute path on the author's machine. */
  directory: string | null;
  message_count: number;
  /** Values that were replaced by `[REDACTED:<rule>]`. */
  redactions: number;
  /** ISO 8601 times of the first and the last record that has one. */
  started_at: string | null;
  ended_at: string | null;
  files: ManifestFile[];
}

/** What a commit captured. Lives in the store under its own hash. */
export interface Manifest {
  version: 1;
  created_at: string;
  /** HEAD when the capture was made, null before the first commit. */
  parent_commit: string | null;
  sessions: ManifestSession[];
}

/** The canonical bytes of a manifest: what its hash is taken of. */
export function manifestBytes(manifest: Manifest): Buffer {
  return Buffer.from(JSON.stringify(manifest, null, 1), 'utf8');
}
