/** `vigil list`: shows and changes the allow, block and watch lists of an organization. */
import { createScoring } from '../app/scoring.ts'
import type { ListedEntry, Lists } from '../modules/lists/index.ts'
import type { ListKind, ListName } from '../modules/lists/tables.ts'
import type { Mode, Owner } from '../platform/owner.ts'
import { requireOrganization, withAccounts } from './command.ts'
import { readInputFile } from './input-file.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type OwnerOptions = Options & { org: string; mode: Mode }

type ShowOptions = OwnerOptions & {
  list?: ListName
  kind?: ListKind
  value?: string
  limit: number
}

export const showList = async (io: Io, { org, mode, ...options }: ShowOptions): Promise<Output> =>
  await withLists(io, { org, mode }, async (lists, owner) => {
    const { list, kind, value, limit } = options
    const page = await lists.list(owner, { list, kind, value, limit })
    const shown = page.entries.map(lineOf)
    return { json: page, lines: [`${page.total} entries`, ...shown] }
  })

type AddOptions = OwnerOptions & { reason?: string; expires?: Date }

export const addToList = async (
  io: Io,
  { org, mode, reason, expires }: AddOptions,
  list = '',
  kind = '',
  value = '',
): Promise<Output> =>
  await withLists(io, { org, mode }, async (lists, owner) => {
    const entry = { list: list as ListName, kind: kind as ListKind, value, reason }
    const expires_at = expires?.toISOString()
    const added = await lists.add(owner, { ...entry, expires_at }, 'cli')
    if ('message' in added) throw new CommandError(added.message)
    return { json: added, lines: [`Added ${lineOf(added)}`] }
  })

export const removeFromList = async (io: Io, options: OwnerOptions, id = ''): Promise<Output> =>
  await withLists(io, options, async (lists, owner) => {
    const removed = await lists.remove(owner, id, 'cli')
    if (!removed) throw new CommandError(`No entry has the id ${id}`)
    return { json: removed, lines: [`Removed ${lineOf(removed)}`] }
  })

export const exportLists = async (io: Io, options: OwnerOptions): Promise<Output> =>
  await withLists(io, options, async (lists, owner) => {
    const csv = await lists.exportCsv(owner)
    return { json: { csv }, lines: [csv.trimEnd()] }
  })

/** @param file `-` for standard input */
export async function importLists(io: Io, options: OwnerOptions, file = ''): Promise<Output> {
  const csv = readInputFile(io, file)
  return await withLists(io, options, async (lists, owner) => {
    const imported = await lists.importCsv(owner, csv, 'cli')
    if ('message' in imported) throw new CommandError(imported.message)
    const { stored, refused, faults } = imported
    const lines = faults.map(({ line, message }) => `Line ${line}: ${message}`)
    return { json: imported, lines: [`${stored} stored, ${refused} refused`, ...lines] }
  })
}

async function withLists(
  io: Io,
  { org, mode }: Pick<OwnerOptions, 'org' | 'mode'>,
  run: (lists: Lists, owner: Owner) => Promise<Output>,
): Promise<Output> {
  return await withAccounts(io, async (accounts, core) => {
    const { id: org_id } = await requireOrganization(accounts, org)
    return await run(createScoring(core, accounts).lists, { org_id, mode })
  })
}

function lineOf({ id, list, kind, value, reason, expires_at }: ListedEntry): string {
  const until = expires_at === null ? '' : `  until ${expires_at}`
  return `${id}  ${list}  ${kind}  ${value}${until}${reason === null ? '' : `  ${reason}`}`
}
