/** Opens a backup and examines all of it, so that a damaged one is refused before anything is changed. */

import { OperatorError } from '../operator-error.ts'
import {
  damaged,
  dataPrefix,
  listComplete,
  type Manifest,
  manifestName,
  type OpenBackup,
  readObject,
  readSummary,
  type TableContent,
} from './format.ts'
import { type KeySources, openBackupKey } from './keys.ts'
import type { BackupStore } from './store.ts'

/** @param wanted id of a backup, or `latest` */
export async function openBackup(
  store: BackupStore,
  wanted: string,
  keys: KeySources,
): Promise<OpenBackup> {
  const id = wanted === 'latest' ? (await listComplete(store)).at(-1) : wanted
  if (id === undefined) throw new OperatorError('There is no complete backup in the store.')
  const summary = await readSummary(store, id)
  const key = await openBackupKey(id, summary.keys, keys)
  const plain = await readObject(store, { id, key, name: manifestName(id) })
  const manifest = JSON.parse(plain.toString('utf8')) as Manifest
  if (manifest.id !== id) throw damaged(id, 'its manifest belongs to another one')
  return { summary, manifest, key }
}

export const contentsOf = ({
  postgres,
  cells = [],
  analytics,
}: Pick<Manifest, 'postgres' | 'cells' | 'analytics'>): TableContent[] => [
  ...[postgres, ...cells.map((cell) => cell.postgres)].flatMap(({ contents }) =>
    Object.values(contents),
  ),
  ...Object.values(analytics?.contents ?? {}),
]

/**
 * Reads and authenticates every segment.
 *
 * @param onSegment called after each with the share that is done
 * @throws OperatorError for the first one that is missing, shortened or changed
 */
export async function checkBackup(
  store: BackupStore,
  { manifest, key }: Pick<OpenBackup, 'manifest' | 'key'>,
  onSegment: (done: number, all: number) => void,
): Promise<void> {
  const { id } = manifest
  const sizes = new Map(
    (await store.list(dataPrefix(id))).map(({ name, bytes }) => [name, bytes] as const),
  )
  const segments = contentsOf(manifest).flatMap((content) => content.segments)
  // Sizes come first, because they need no reading.
  for (const { name, bytes } of segments) {
    const found = sizes.get(name)
    if (found === undefined) throw damaged(id, `${name} is missing`)
    if (found !== bytes) throw damaged(id, `${name} has ${found} bytes instead of ${bytes}`)
  }
  for (const [index, { name }] of segments.entries()) {
    await readObject(store, { id, key, name })
    onSegment(index + 1, segments.length)
  }
}
