/**
 * Deletes the data of a person. Each step is transactions of limited size, and finds only what is left, so a
 * deletion that was interrupted is completed by starting it again.
 */

import { deleteMatchingRows, type Place } from '../../platform/clickhouse/dump.ts'
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { insertAudit } from '../audit/index.ts'
import { CELL_TABLES, DIRECTORY_TABLES } from '../table-places.ts'
import { type Found, findRows, rangesOf } from './find.store.ts'
import { type Person, type PersonDependencies, type PersonQuery, personOf } from './person.ts'
import {
  type Counts,
  deleteChecks,
  deleteDeliveries,
  deleteEvents,
  deleteIdentities,
  deleteNaming,
  deleteOpinions,
  deleteOrders,
} from './rows.store.ts'
import type { PersonReport } from './schema.ts'
import {
  clearTexts,
  countNaming,
  countWaitingBatches,
  isChangeable,
  listTextTables,
} from './texts.store.ts'

export type PersonDeletion = {
  /** @throws OperatorError or EngineUnavailable when a store cannot be used */
  run(orgId: string, query: PersonQuery, options: DeletionOptions): Promise<PersonReport>
}

export type DeletionOptions = {
  is_dry: boolean
  /** User id, or null for the command line. */
  by: string | null
  /** `next_step` of an earlier run. */
  from_step?: string | undefined
  /** After this time, the run ends with the step that it is in. */
  until?: Date | undefined
}

export type PersonDeletionDependencies = PersonDependencies & {
  directory: Database
  db: Database
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
  /** Undefined while the analytics engine has never stored anything. */
  analytics: () => (Place & { tables: readonly string[] }) | undefined
}

type Kind = 'deleted' | 'cleared' | 'retained'
type Step = { name: string; kind: Kind; run: () => Promise<Counts> }

/** Orders, checks or events of one transaction. */
const PORTION_IDS = 500

export function createPersonDeletion(deps: PersonDeletionDependencies): PersonDeletion {
  const { db, clock, newId } = deps
  return {
    run: async (orgId, query, options) => {
      const person = personOf(deps, orgId, query)
      if (options.is_dry) return await rolledBack(deps, (inside) => search(inside, person, options))
      const report = await search(deps, person, options)
      const at = clock.now()
      const { deleted, cleared, next_step } = report
      const entry = {
        id: newId(at),
        at,
        actor_user_id: options.by,
        action: next_step === null ? 'person.deleted' : 'person.deletion_started',
        details: { by: Object.keys(query).toSorted(), deleted, cleared },
      }
      await db.transaction().execute((tx) => deps.audit(tx, orgId, entry))
      return report
    },
  }
}

/** Later steps of a dry run see what earlier ones have changed. */
async function rolledBack<Result>(
  deps: PersonDeletionDependencies,
  work: (deps: PersonDeletionDependencies) => Promise<Result>,
): Promise<Result> {
  const { db, directory } = deps
  const isSame = db === directory
  let result: { of: Result } | undefined
  const within = async (handle: Database, run: (tx: Database) => Promise<void>) =>
    await handle
      .transaction()
      .execute(async (tx) => {
        await run(tx)
        throw new DryRun()
      })
      .catch((error: unknown) => {
        if (!(error instanceof DryRun)) throw error
      })
  await within(db, async (tx) => {
    const run = async (inDirectory: Database) => {
      result = { of: await work({ ...deps, db: tx, directory: inDirectory }) }
    }
    await (isSame ? run(tx) : within(directory, run))
  })
  if (!result) throw new Error('the dry run did not run')
  return result.of
}

class DryRun extends Error {}

async function search(
  deps: PersonDeletionDependencies,
  person: Person,
  { is_dry, from_step, until }: DeletionOptions,
): Promise<PersonReport> {
  const steps = await stepsOf(deps, person, is_dry)
  const start = Math.max(
    0,
    steps.findIndex(({ name }) => name === from_step),
  )
  const report: PersonReport = {
    deleted: {},
    cleared: {},
    retained: {},
    waiting_batches: await countWaitingBatches(deps.db, person.org_id),
    not_searched: [...person.short],
    next_step: null,
  }
  for (const step of steps.slice(start)) {
    if (until !== undefined && step !== steps[start] && deps.clock.now() >= until) {
      report.next_step = step.name
      break
    }
    add(report[step.kind], await step.run())
  }
  return report
}

function add(sums: Counts, counts: Counts): void {
  for (const [table, rows] of Object.entries(counts)) {
    if (rows > 0) sums[table] = (sums[table] ?? 0) + rows
  }
}

type Transactions = (
  handle: Database,
  works: readonly ((tx: Db) => Promise<Counts>)[],
) => Promise<Counts>

/** Runs each work in one transaction; a dry run is in one already. */
const transactions =
  (isDry: boolean): Transactions =>
  async (handle, works) => {
    const counts: Counts = {}
    for (const work of works) {
      add(counts, isDry ? await work(handle) : await handle.transaction().execute(work))
    }
    return counts
  }

/** Rows that lead to others come after them. */
async function stepsOf(
  deps: PersonDeletionDependencies,
  person: Person,
  isDry: boolean,
): Promise<Step[]> {
  const { directory, db } = deps
  const run = transactions(isDry)
  let finding: Promise<Found> | undefined
  const found = async () => await (finding ??= findRows(db, person))
  const byIds = (
    name: keyof Found,
    remove: (tx: Db, orgId: string, ids: readonly string[]) => Promise<Counts>,
  ): Step => ({
    name,
    kind: 'deleted',
    run: async () => {
      const portions = portionsOf((await found())[name])
      return await run(
        db,
        portions.map((ids) => async (tx) => await remove(tx, person.org_id, ids)),
      )
    },
  })
  const whole = (
    name: string,
    remove: (tx: Db, person: Person) => Promise<Counts>,
    handle = db,
  ): Step => ({
    name,
    kind: 'deleted',
    run: async () => await run(handle, [async (tx) => await remove(tx, person)]),
  })
  const deliveries = async () => {
    const { events } = await found()
    const ranges = await rangesOf(db, 'webhook_deliveries')
    return await run(
      db,
      ranges.map((range) => async (tx) => await deleteDeliveries(tx, person, events, range)),
    )
  }
  return [
    { name: 'webhook_deliveries', kind: 'deleted', run: deliveries },
    byIds('events', deleteEvents),
    byIds('orders', deleteOrders),
    byIds('checks', deleteChecks),
    whole('identities', deleteIdentities),
    whole('opinions', deleteOpinions, directory),
    whole('naming', deleteNaming),
    ...(await textSteps(db, CELL_TABLES, person, run)),
    ...(await textSteps(directory, DIRECTORY_TABLES, person, run)),
    ...analyticsSteps(deps, person, isDry),
  ]
}

const portionsOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / PORTION_IDS) }, (_, index) =>
    ids.slice(index * PORTION_IDS, (index + 1) * PORTION_IDS),
  )

async function textSteps(
  handle: Database,
  place: readonly string[],
  person: Person,
  run: Transactions,
): Promise<Step[]> {
  if (person.patterns.length === 0) return []
  const tables = await listTextTables(handle, place)
  return tables.map((table) => {
    const isCleared = isChangeable(table.name)
    const work = isCleared ? clearTexts : countNaming
    return {
      name: `texts of ${table.name}`,
      kind: isCleared ? 'cleared' : 'retained',
      run: async () => {
        const ranges = await rangesOf(handle, table.name)
        return await run(
          handle,
          ranges.map((range) => async (tx) => await work(tx, person, table, range)),
        )
      },
    }
  })
}

function analyticsSteps(
  { analytics }: PersonDeletionDependencies,
  { org_id: orgId, patterns }: Person,
  isDry: boolean,
): Step[] {
  const place = analytics()
  if (!place || patterns.length === 0) return []
  const expressions = patterns.map(
    ({ before, value, after, ignores_case }) =>
      `${ignores_case ? '(?i)' : ''}${before}${value}${after}`,
  )
  const deletion = { orgId, expressions, isDry }
  return place.tables.map((table) => ({
    name: table,
    kind: 'deleted',
    run: async () => ({ [table]: await deleteMatchingRows(place, table, deletion) }),
  }))
}
