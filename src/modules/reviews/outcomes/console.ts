/** Routes of the console for outcomes, which all members may report, as they may decide reviews. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import type { Validators } from '../../../platform/http/validation.ts'
import { modeParameter, ownerOf } from '../../access/index.ts'
import { createCsvReader } from './csv.ts'
import { type ImportedOutcomes, outcomeSchema, type ReportedOutcomes } from './schema.ts'
import type { OutcomeResult, Outcomes } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

const PATH = '/console/api/outcomes'
/** More are sent in several requests. */
const OUTCOMES_MAX = 500
const BODY_MAX_BYTES = 1_000_000

export type OutcomeRouteDependencies = { outcomes: Outcomes; validators: Validators }

export function outcomeRoutes(app: App, { outcomes, validators }: OutcomeRouteDependencies): void {
  const readCsv = createCsvReader(validators)
  const max_bytes = 2 * BODY_MAX_BYTES
  const body = Type.Object({
    ...modeParameter,
    outcomes: Type.Array(outcomeSchema, { minItems: 1, maxItems: OUTCOMES_MAX }),
  })
  const list = { config: { ...MEMBER, body: { max_bytes } }, schema: { body } }
  app.post(PATH, list, async (request) => {
    const { member } = request
    const reports = request.body.outcomes
    const source = { by: member.user_id, emits: true }
    const results = await outcomes.report(ownerOf(member, request.body), reports, source)
    const refused = results.flatMap((result, index) => {
      const external_order_id = reports[index]?.external_order_id ?? ''
      return typeof result === 'string' ? [] : [{ index, external_order_id, ...result }]
    })
    const reported: ReportedOutcomes = { ...countsOf(results), refused }
    return envelope('Outcomes reported', reported)
  })

  const csv = Type.Object({
    ...modeParameter,
    csv: Type.String({ minLength: 1, maxLength: BODY_MAX_BYTES }),
  })
  const file = { config: { ...MEMBER, body: { max_bytes } }, schema: { body: csv } }
  app.post(`${PATH}/import`, file, async (request) => {
    const { member } = request
    const { reports, refused } = readCsv(request.body.csv)
    const source = { by: member.user_id, emits: true }
    const owner = ownerOf(member, request.body)
    const results = await outcomes.report(
      owner,
      reports.map(({ report }) => report),
      source,
    )
    for (const [index, { line }] of reports.entries()) {
      const result = results[index]
      if (typeof result === 'object') refused.push({ line, ...result })
    }
    const imported: ImportedOutcomes = {
      ...countsOf(results),
      refused: refused.toSorted((a, b) => a.line - b.line),
    }
    return envelope('Outcomes imported', imported)
  })
}

const countsOf = (results: readonly OutcomeResult[]) => ({
  decided: results.filter((result) => result === 'added').length,
  unchanged: results.filter((result) => result === 'known').length,
})
