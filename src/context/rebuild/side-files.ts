import { join } from 'node:path';
import { isPortableSideFile, portableSideFile, type SidePlace } from '../../claude/portable-side.ts';
import { type Relocator, relocator } from '../../claude/relocate.ts';
import { outputPath, type SessionOutput } from '../../claude/write-session.ts';
import type { ManifestFile, ManifestSession } from '../../core/manifest.ts';
import type { ContextStore } from '../../storage/context-store.ts';
import { fileBytes } from '../sessions.ts';
import type { Place } from './place.ts';

/** Rewrites what names a place that is another one now: side files always, the repository where that was asked for. */
export function relocatorFor(sessions: ManifestSession[], place: Place, sessionId: string): Relocator {
  const side = 'side/';
  const paths = sessions.flatMap(({ files }) => files.map(({ path }) => path)).filter((path) => path.startsWith(side));
  return relocator({
    side: {
      sessionIds: sessions.map(({ session_id }) => session_id),
      folder: join(place.projectDir, sessionId),
      paths: paths.map((path) => path.slice(side.length)),
    },
    tops: place.tops,
  });
}

/** Subagents and overflowed tool results, by the path each gets; of a file that several sessions have, the first is taken. */
export function sideFiles(sessions: ManifestSession[], sessionId: string): Map<string, ManifestFile> {
  const files = new Map<string, ManifestFile>();
  for (const file of sessions.flatMap((session) => session.files)) {
    const path = outputPath(file.path, sessionId);
    if (file.path !== 'transcript.jsonl' && !files.has(path)) files.set(path, file);
  }
  return files;
}

/** Side files as they may go to another person or place. */
export function portableSideFiles(sessions: ManifestSession[], store: ContextStore, place: SidePlace): SessionOutput[] {
  async function* portable(file: ManifestFile) {
    yield portableSideFile(file.path, await fileBytes(file, store), place);
  }
  return [...sideFiles(sessions, place.sessionId)]
    .filter(([, file]) => isPortableSideFile(file.path))
    .map(([path, file]) => ({ path, bytes: portable(file) }));
}
