/** What can be imported: the form of its records, their time, and the service that takes them. */
import { type TObject, Type } from 'typebox'
import type { Core } from '../../app/core.ts'
import { pick } from '../../app/core.ts'
import type { Scoring } from '../../app/scoring.ts'
import { type CashierRequest, cashierSchemas } from '../../modules/cashier/index.ts'
import { type OrderRequest, orderSchemas, storedForm } from '../../modules/orders/index.ts'
import { type ProfileRequest, profileSchemas } from '../../modules/profiles/index.ts'
import { type OutcomeReport, outcomeSchema } from '../../modules/reviews/index.ts'
import { readTime } from '../../platform/date-time.ts'
import { createKnownMembers } from '../../platform/http/known-members.ts'
import type { Imported } from '../../platform/imported.ts'
import type { Owner } from '../../platform/owner.ts'

export const IMPORTED_KINDS = ['orders', 'profiles', 'cashier-actions', 'outcomes'] as const
export type ImportedKind = (typeof IMPORTED_KINDS)[number]

export type Importing = {
  schema: TObject
  /** Required member with the time, up to now. */
  time: string
  /** The valid record as it is stored. */
  stored(record: object): object
  /** Records that share one of these are imported one after another. */
  keysOf(record: object): readonly string[]
  /** Results in the order of the records. */
  run(records: readonly object[]): Promise<Imported[]>
}

const NO_KEYS: readonly string[] = []

export function importingOf(
  kind: ImportedKind,
  { config }: Pick<Core, 'config'>,
  scoring: Scoring,
  owner: Owner,
): Importing {
  const limits = pick(config, 'text_max_chars', 'check_bulk_max', 'check_data_max_bytes')
  switch (kind) {
    case 'orders': {
      const { request } = orderSchemas(limits)
      const stored = storedForm(request)
      return {
        schema: request,
        time: 'ordered_at',
        stored: (record) => stored(record as OrderRequest),
        keysOf: () => NO_KEYS,
        run: async (records) =>
          await scoring.orders.importAll(owner, records as readonly OrderRequest[]),
      }
    }
    case 'profiles':
      return profiles(profileSchemas(limits).request, scoring, owner)
    case 'cashier-actions': {
      const { request } = cashierSchemas(limits)
      return {
        schema: request,
        time: 'performed_at',
        stored: createKnownMembers(request),
        keysOf: (record) => {
          const { cashier_external_id, edge_device_id } = record as CashierRequest
          return [`cashier ${cashier_external_id}`, `till ${edge_device_id ?? cashier_external_id}`]
        },
        run: async (records) =>
          await Promise.all(
            records.map(
              async (record) => await scoring.cashier.import(owner, record as CashierRequest),
            ),
          ),
      }
    }
    case 'outcomes':
      return outcomes(scoring, owner)
  }
}

function profiles(request: TObject, scoring: Scoring, owner: Owner): Importing {
  const seen_at = Type.String({ format: 'date-time' })
  const schema = Type.Object({ ...request.properties, seen_at })
  return {
    schema,
    time: 'seen_at',
    stored: createKnownMembers(schema),
    keysOf: () => NO_KEYS,
    run: async (records) =>
      await scoring.profiles.importAll(
        owner,
        (records as readonly (ProfileRequest & { seen_at: string })[]).map((record) => {
          const { seen_at: text, ...facts } = record
          return { request: facts, seen_at: readTime(text, 'seen_at') }
        }),
      ),
  }
}

function outcomes(scoring: Scoring, owner: Owner): Importing {
  return {
    schema: outcomeSchema,
    time: 'date',
    stored: createKnownMembers(outcomeSchema),
    keysOf: () => NO_KEYS,
    run: async (records) => {
      const reports = records as readonly OutcomeReport[]
      const source = { by: 'cli', emits: false }
      return await scoring.outcomes.report(owner, reports, source)
    },
  }
}
