/** Allow, block and watch lists of an organization, separate for live and test data. */
import type { Clock } from '../../platform/clock.ts'
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import { readTime } from '../../platform/date-time.ts'
import { AppError } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { type CacheAges, createVersionedCache } from '../../platform/versioned-cache.ts'
import { emailsOf } from '../accounts/index.ts'
import type { insertAudit } from '../audit/index.ts'
import { type CsvRow, entriesAsCsv, readCsv } from './csv.ts'
import { type IdentityForms, readValue } from './kinds.ts'
import { EMPTY_SET, type EntrySet, entrySet, type ListEntry } from './match.ts'
import type { ListedEntry, ListImport, ListPage } from './schema.ts'
import {
  countEntries,
  deleteEntry,
  listEntries,
  raiseVersion,
  readEntries,
  readVersions,
  type StoredEntry,
  upsertEntries,
} from './store.ts'
import { LIST_KINDS, LISTS, type ListKind, type ListName } from './tables.ts'

export type NewEntry = {
  list: ListName
  kind: ListKind
  value: string
  reason?: string | undefined
  expires_at?: string | undefined
}

/** `field` names the member at fault. */
export type EntryFault = { field: string; message: string }

export type Lists = {
  /** The entries in memory, at most two seconds old; a promise only when they must be read. */
  entries(owner: Owner): EntrySet | Promise<EntrySet>
  /** @param by user id or `cli` */
  add(owner: Owner, entry: NewEntry, by: string): Promise<ListedEntry | EntryFault>
  remove(owner: Owner, id: string, by: string): Promise<ListedEntry | undefined>
  list(owner: Owner, filter: ListFilter): Promise<ListPage>
  exportCsv(owner: Owner): Promise<string>
  importCsv(owner: Owner, text: string, by: string): Promise<ListImport | EntryFault>
  /** @returns the hash under which entries of the value are stored; undefined for no value of the kind */
  keyOf(owner: Owner, kind: ListKind, text: string): string | undefined
}

export type ListFilter = {
  list?: ListName | undefined
  kind?: ListKind | undefined
  /** A whole value, which may be of any kind. */
  value?: string | undefined
  before?: string | undefined
  limit: number
}

export type ListsDependencies = CacheAges & {
  db: Database
  directory: Database
  clock: Clock
  newId: NewId
  hash: KeyedHash
  audit: typeof insertAudit
  forms: IdentityForms
}

/** Entries of one organization and mode. Each process holds them in memory while they are used. */
export const ENTRIES_MAX = 20_000
const CACHED_ENTRIES_MAX = 500_000
const FAULTS_MAX = 100
const REASON_MAX_CHARS = 200

export function createLists(deps: ListsDependencies): Lists {
  const { db, hash } = deps
  const keyOf =
    ({ org_id, mode }: Owner) =>
    (kind: ListKind, value: string): string =>
      hash('list', org_id, mode, kind, value)
  const setOf = (owner: Owner, version: number, entries: readonly ListEntry[]): EntrySet =>
    entrySet(version, entries, { forms: deps.forms, keyOf: keyOf(owner) })
  const cache = createVersionedCache<Owner, EntrySet>({
    ...deps,
    read: async (owners, known) => {
      const versions = await readVersions(db, owners)
      return await Promise.all(
        owners.map(async (owner, index) => {
          const version = versions[index] ?? 0
          const before = known(owner) ?? EMPTY_SET
          if (before.version >= version) return before
          return setOf(owner, version, await readEntries(db, owner))
        }),
      )
    },
    keyOf: ({ org_id, mode }) => `${org_id} ${mode}`,
    versionOf: ({ version }) => version,
    sizeOf: ({ size }) => 1 + size,
    size_max: CACHED_ENTRIES_MAX,
  })

  const shown = async (entries: readonly StoredEntry[]): Promise<ListedEntry[]> => {
    const emails = await emailsOf(
      deps.directory,
      entries.map(({ created_by }) => created_by),
    )
    return entries.map((entry) => listed(entry, emails.get(entry.created_by)))
  }
  const store = async (owner: Owner, entries: readonly StoredEntry[], by: string) => {
    const { stored, version, all } = await db.transaction().execute(async (tx) => {
      const raised = await raiseVersion(tx, owner)
      const rows = await upsertEntries(tx, owner, entries)
      if ((await countEntries(tx, owner)) > ENTRIES_MAX) throw new TooManyEntries()
      await audit(deps, tx, owner, { verb: 'added', entries: rows, by })
      return { stored: rows, version: raised, all: await readEntries(tx, owner) }
    })
    cache.learn(owner, setOf(owner, version, all))
    return stored
  }

  return {
    entries: cache.of,
    keyOf: (owner, kind, text) => {
      const read = readValue(deps.forms, kind, text)
      return 'wanted' in read ? undefined : keyOf(owner)(kind, read.value)
    },
    add: async (owner, entry, by) => {
      const read = readEntry(deps, keyOf(owner), { ...entry }, by)
      if ('field' in read) return read
      try {
        const [added] = await shown(await store(owner, [read], by))
        return added ?? { field: 'value', message: 'The entry was not stored' }
      } catch (error) {
        if (error instanceof TooManyEntries) return tooMany()
        throw error
      }
    },
    remove: async (owner, id, by) => {
      if (!isUuid(id)) return undefined
      const removed = await db.transaction().execute(async (tx) => {
        const version = await raiseVersion(tx, owner)
        const entry = await deleteEntry(tx, owner, id)
        if (entry) await audit(deps, tx, owner, { verb: 'removed', entries: [entry], by })
        return { entry, version, all: await readEntries(tx, owner) }
      })
      cache.learn(owner, setOf(owner, removed.version, removed.all))
      return removed.entry && (await shown([removed.entry]))[0]
    },
    list: async (owner, { value, ...filter }) => {
      const key_hashes = value === undefined ? undefined : hashesOf(deps.forms, keyOf(owner), value)
      const [rows, total] = await Promise.all([
        listEntries(db, owner, { ...filter, key_hashes }),
        countEntries(db, owner),
      ])
      const next_cursor = rows.length === filter.limit ? (rows.at(-1)?.id ?? null) : null
      return { entries: await shown(rows), total, next_cursor }
    },
    exportCsv: async (owner) => {
      const rows = await listEntries(db, owner, { limit: ENTRIES_MAX })
      const entries = await shown(rows)
      return entriesAsCsv(
        entries.map((entry, index) => ({ ...entry, hash: rows[index]?.key_hash ?? '' })),
      )
    },
    importCsv: async (owner, text, by) => {
      const rows = readCsv(text)
      if (rows === undefined) return badHeader()
      if (rows.length > ENTRIES_MAX) return tooMany()
      const { entries, faults } = readRows(deps, keyOf(owner), rows, by)
      try {
        const stored = entries.length === 0 ? [] : await store(owner, entries, by)
        const refused = faults.length
        return { stored: stored.length, refused, faults: faults.slice(0, FAULTS_MAX) }
      } catch (error) {
        if (error instanceof TooManyEntries) return tooMany()
        throw error
      }
    },
  }
}

class TooManyEntries extends Error {}

const tooMany = (): EntryFault => ({
  field: 'org_id',
  message: `An organization can have ${ENTRIES_MAX} entries; remove some that are no longer needed`,
})

const badHeader = (): EntryFault => ({
  field: 'csv',
  message: 'The first line must name the columns list, kind and value, separated by commas',
})

type KeyOf = (kind: ListKind, value: string) => string

/** Later lines about the same identity replace earlier ones. */
function readRows(
  deps: ListsDependencies,
  keyOf: KeyOf,
  rows: readonly CsvRow[],
  by: string,
): { entries: StoredEntry[]; faults: ListImport['faults'] } {
  const entries = new Map<string, StoredEntry>()
  const faults: ListImport['faults'] = []
  for (const { line, cells } of rows) {
    const read = readEntry(deps, keyOf, cells, by)
    if ('field' in read) faults.push({ line, ...read })
    else entries.set(`${read.list} ${read.kind} ${read.key_hash}`, read)
  }
  return { entries: [...entries.values()], faults }
}

function readEntry(
  { forms, clock, newId }: Pick<ListsDependencies, 'forms' | 'clock' | 'newId'>,
  keyOf: KeyOf,
  cells: Readonly<Record<string, string | undefined>>,
  created_by: string,
): StoredEntry | EntryFault {
  const list = LISTS.find((name) => name === cells['list'])
  if (list === undefined)
    return { field: 'list', message: `list must be one of ${LISTS.join(', ')}` }
  const kind = LIST_KINDS.find((name) => name === cells['kind'])
  if (kind === undefined) {
    return { field: 'kind', message: `kind must be one of ${LIST_KINDS.join(', ')}` }
  }
  const { value = '', hash = '', reason = '', expires_at = '' } = cells
  const key = identityOf(forms, keyOf, kind, { value, hash })
  if ('message' in key) return key
  if (reason.length > REASON_MAX_CHARS || reason.includes('\0')) {
    return {
      field: 'reason',
      message: `reason must be a text of at most ${REASON_MAX_CHARS} characters`,
    }
  }
  const now = clock.now()
  const end = endOf(expires_at, now)
  if (end !== null && 'field' in end) return end
  return {
    id: newId(now),
    list,
    kind,
    ...key,
    reason: reason === '' ? null : reason,
    created_by,
    created_at: now,
    expires_at: end,
  }
}

/** A hash of an export identifies what its masked value cannot. */
function identityOf(
  forms: IdentityForms,
  keyOf: KeyOf,
  kind: ListKind,
  { value, hash }: { value: string; hash: string },
): { key_hash: string; shown: string } | EntryFault {
  if (hash !== '') {
    if (!isUuid(hash)) return { field: 'hash', message: 'hash must be one of an export' }
    if (kind === 'network') return identityOf(forms, keyOf, kind, { value, hash: '' })
    return { key_hash: hash, shown: value === '' ? '…' : value }
  }
  const read = readValue(forms, kind, value)
  if ('wanted' in read) return { field: 'value', message: `value must be ${read.wanted}` }
  return { key_hash: keyOf(kind, read.value), shown: read.shown }
}

function endOf(text: string, now: Date): Date | null | EntryFault {
  if (text === '') return null
  try {
    const end = readTime(text, 'expires_at')
    return end > now ? end : { field: 'expires_at', message: 'expires_at must be in the future' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { field: 'expires_at', message: error.message }
  }
}

/** The search text as a value of each kind that it can be. */
function hashesOf(forms: IdentityForms, keyOf: KeyOf, text: string): string[] {
  return LIST_KINDS.flatMap((kind) => {
    const read = readValue(forms, kind, text)
    return 'wanted' in read ? [] : [keyOf(kind, read.value)]
  })
}

type Audited = { verb: 'added' | 'removed'; entries: readonly StoredEntry[]; by: string }

async function audit(
  { clock, newId, audit: write }: ListsDependencies,
  tx: Database,
  { org_id, mode }: Owner,
  { verb, entries, by }: Audited,
): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  const now = clock.now()
  const target =
    entries.length === 1
      ? `${first.kind} ${first.shown} ${verb === 'added' ? 'on' : 'from'} the ${first.list} list`
      : `${entries.length} entries on lists`
  const { id, list, kind, shown: value, reason, expires_at } = first
  await write(tx, org_id, {
    id: newId(now),
    at: now,
    actor_user_id: isUuid(by) ? by : null,
    action: `list_entry.${verb}`,
    target,
    details:
      entries.length === 1
        ? { mode, id, list, kind, value, reason, expires_at }
        : { mode, entries: entries.length },
  })
}

const listed = (
  { shown, created_at, expires_at, key_hash: _hash, ...entry }: StoredEntry,
  email: string | undefined,
): ListedEntry => ({
  ...entry,
  value: shown,
  created_by_email: email ?? null,
  created_at: created_at.toISOString(),
  expires_at: expires_at?.toISOString() ?? null,
})
