/** `vigil person delete`: the data of one person, on request. */

import { personDeletionOf } from '../app/person-deletion.ts'
import { createScoring } from '../app/scoring.ts'
import { findMoveUnderWay } from '../modules/cells/index.ts'
import {
  faultOf,
  PERSON_MEMBERS,
  type PersonQuery,
  type PersonReport,
} from '../modules/person-data/index.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { CommandError, confirm, type Io, type Options, type Output } from './io.ts'

type DeleteOptions = Options & PersonQuery & { org: string; yes?: boolean; dryRun?: boolean }

export async function deletePersonData(
  io: Io,
  { org, yes = false, dryRun = false, ...options }: DeleteOptions,
): Promise<Output> {
  const query = Object.fromEntries(
    PERSON_MEMBERS.flatMap((member) => {
      const value = options[member]
      return value === undefined ? [] : [[member, value]]
    }),
  ) as PersonQuery
  const fault = faultOf(query)
  if (fault) throw new CommandError(fault.message)
  return await withAccountsOf(io, org, async (accounts, core) => {
    await requireOrganization(accounts, org)
    if ((await findMoveUnderWay(core.directory))?.org_id === org) {
      throw new CommandError('The organization moves to another cell. Complete that first')
    }
    const deletion = personDeletionOf(core, createScoring(core, accounts))
    if (dryRun || !yes) {
      const planned = await deletion.run(org, query, { is_dry: true, by: null })
      const lines = linesOf(planned, true)
      if (dryRun) return { json: planned, lines }
      for (const line of lines) io.stderr(line)
      await confirm(io, 'Delete the data of this person?')
    }
    const report = await deletion.run(org, query, { is_dry: false, by: null })
    return { json: report, lines: linesOf(report, false) }
  })
}

function linesOf(report: PersonReport, isDry: boolean): string[] {
  const { deleted, cleared, retained, waiting_batches, not_searched } = report
  const rows = (counts: Record<string, number>) =>
    Object.entries(counts).map(([table, count]) => `  ${table}: ${count}`)
  return [
    isDry ? 'Rows that would be deleted:' : 'Deleted rows:',
    ...rows(deleted),
    isDry
      ? 'Rows in which the values would be replaced by [deleted]:'
      : 'Rows with replaced values:',
    ...rows(cleared),
    'Rows that name the person and stay (change settings by hand):',
    ...rows(retained),
    'Usage and ledger stay: they have ids and numbers of requests, and nothing about people.',
    ...(waiting_batches > 0
      ? [
          `${waiting_batches} batches of logs wait for the analytics engine. Repeat the command later.`,
        ]
      : []),
    ...not_searched.map((member) => `The ${member} is too short to be looked for in texts.`),
  ]
}
