/**
 * Processor time that custom rules add to an order: orders of one organization with a hundred rules, and
 * the same orders of another one without any, in turns. The time is that of this process and of the database;
 * there is no HTTP, so the share is larger than in the service.
 */
import { openCore } from '../src/app/index.ts'
import { createScoring } from '../src/app/scoring.ts'
import { readConfig } from '../src/config.ts'
import { createBilling } from '../src/modules/billing/index.ts'
import { type CustomRule, RULE_TEMPLATES } from '../src/modules/custom-rules/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../src/modules/orders/index.ts'
import { addOrganizations, type Context, openBenchStores, startBed } from './bed.ts'
import { createOrders } from './order-requests.ts'
import { readProcessorTime } from './processes.ts'
import { type Findings, fine } from './report.ts'

const RULES = 100
const ORDERS_PER_TURN = 1000
const TURNS = 8
const WARM_TURNS = 2
const TOGETHER = 32
const MICROSECONDS = 1_000_000
const AIM_SHARE = 0.2

export async function benchRules(context: Context): Promise<Findings> {
  const { data_dir, postgres } = await startBed(context)
  const stores = await openBenchStores(data_dir)
  const { db, newId, clock } = stores
  const core = await openCore(stores, readConfig({}))
  const scoring = createScoring(core, { billing: createBilling({ db, newId, clock }) })
  const [plain = '', ruled = ''] = await addOrganizations(stores, 2)
  const applied = await scoring.order_rules.apply(
    { org_id: ruled, mode: 'live' },
    DEFAULT_ORDER_PARAMETERS,
    { base_version: 0, note: null, by: 'cli', custom_rules: manyRules() },
  )
  if ('refused' in applied) throw new Error(`refused: ${applied.refused}`)

  const makeOrder = createOrders(clock.now(), 1)
  const turn = async (org_id: string, first: number): Promise<Turn> => {
    const databaseBefore = processorSeconds(postgres)
    const before = process.cpuUsage()
    for (let from = 0; from < ORDERS_PER_TURN; from += TOGETHER) {
      const orders = Array.from({ length: TOGETHER }, (_, i) => makeOrder(first + from + i).order)
      const owner = { org_id, mode: 'live' as const }
      await Promise.all(orders.map(async (order) => await scoring.orders.score(owner, order)))
    }
    const { user, system } = process.cpuUsage(before)
    const database = (processorSeconds(postgres) - databaseBefore) * MICROSECONDS
    return { own: (user + system) / ORDERS_PER_TURN, database: database / ORDERS_PER_TURN }
  }

  const turns: Record<'plain' | 'ruled', Turn[]> = { plain: [], ruled: [] }
  for (let number = 0; number < WARM_TURNS + TURNS; number += 1) {
    context.onProgress(`turn ${number + 1} of ${WARM_TURNS + TURNS}`)
    const first = number * ORDERS_PER_TURN
    const measured = { plain: await turn(plain, first), ruled: await turn(ruled, first) }
    if (number < WARM_TURNS) continue
    turns.plain.push(measured.plain)
    turns.ruled.push(measured.ruled)
  }
  await stores.close()
  const [without, withRules] = [medianTurn(turns.plain), medianTurn(turns.ruled)]
  const more = withRules.own - without.own
  const share = more / (without.own + without.database)
  const text = `${RULES} custom rules add ${fine(100 * share)} % to the processor time of an order, aim below ${100 * AIM_SHARE} %`
  return {
    unit: `orders of an organization with ${RULES} custom rules, and of one without`,
    rows: [],
    notes: [
      `µs of an order without rules: ${fine(without.own)}, and ${fine(without.database)} of the database`,
      `µs of an order with ${RULES} rules: ${fine(withRules.own)}, of this process alone ${fine((100 * more) / without.own)} % more`,
    ],
    aims: [{ is_met: share < AIM_SHARE, text }],
  }
}

/** Microseconds of processor time for each order. */
type Turn = { own: number; database: number }

const medianTurn = (turns: readonly Turn[]): Turn => ({
  own: median(turns.map(({ own }) => own)),
  database: median(turns.map(({ database }) => database)),
})

const processorSeconds = (pid: number): number =>
  readProcessorTime(pid, []).processes.get(pid) ?? Number.NaN

/** The templates in turns, with other numbers each time; none of them changes a score. */
function manyRules(): CustomRule[] {
  const { order: templates } = RULE_TEMPLATES
  return Array.from({ length: RULES }, (_, index) => {
    const template = templates[index % templates.length]
    if (!template) throw new Error('there are no templates')
    const when = template.when.replaceAll(/\d{3,}/g, (digits) => `${Number(digits) + index}`)
    return {
      ...template,
      name: `${template.name} ${index}`,
      when,
      applies_to: 'order',
      state: 'shadow',
      warning: '',
    }
  })
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
