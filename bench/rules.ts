/**
 * Processor time that custom rules add to an order, a check and a cashier action: those of one organization
 * with a hundred rules, and the same ones of another without any, in turns. The time is that of this process and of
 * the database; there is no HTTP, so the share is larger than in the service.
 */
import { createFraudPart } from '../src/app/fraud.ts'
import { openCore } from '../src/app/index.ts'
import { readConfig } from '../src/config.ts'
import { createBilling } from '../src/modules/billing/index.ts'
import {
  type CustomRule,
  RULE_TARGETS,
  RULE_TEMPLATES,
  type RuleTarget,
} from '../src/modules/custom-rules/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../src/modules/orders/index.ts'
import { addOrganizations, type Context, openBenchStores, startBed } from './bed.ts'
import { createOrders } from './order-requests.ts'
import { readProcessorTime } from './processes.ts'
import { type Aim, type Findings, fine } from './report.ts'
import { median } from './statistics.ts'
import { emailAddress } from './world.ts'

const RULES = 100
const REQUESTS_PER_TURN = 1000
const TURNS = 8
const WARM_TURNS = 2
const TOGETHER = 32
const MICROSECONDS = 1_000_000
const AIM_SHARE = 0.2
const NAMES: Readonly<Record<RuleTarget, string>> = {
  order: 'an order',
  check: 'a check',
  cashier_action: 'a cashier action',
}

/** A closed port answers look-ups immediately, and then the cache does. */
const SETTINGS = { VIGIL_DNS_SERVERS: '127.0.0.1:9', VIGIL_RDAP_ENABLED: 'false' }

export async function benchRules(context: Context): Promise<Findings> {
  const { data_dir, postgres } = await startBed(context)
  const stores = await openBenchStores(data_dir)
  const core = await openCore(stores, readConfig(SETTINGS))
  const billing = createBilling(stores)
  // Accounts are for routes, which nothing calls here.
  const accounts = undefined as never
  const fraud = createFraudPart(core, { billing, accounts, hint: () => undefined })
  const findings: Findings = { unit: 'requests', rows: [], notes: [], aims: [] }
  for (const target of RULE_TARGETS) {
    const [plain = '', ruled = ''] = await addOrganizations(stores, 2)
    const applied = await fraud.order_rules.apply(
      { org_id: ruled, mode: 'live' },
      DEFAULT_ORDER_PARAMETERS,
      { base_version: 0, note: null, by: 'cli', custom_rules: manyRules(target) },
    )
    if ('refused' in applied) throw new Error(`refused: ${applied.refused}`)
    const measured = await measure(context, postgres, target, {
      plain,
      ruled,
      send: senders(fraud, stores.clock.now())[target],
    })
    findings.notes.push(...measured.notes)
    findings.aims.push(measured.aim)
  }
  await fraud.close?.()
  await stores.close()
  return findings
}

type Send = (org_id: string, number: number) => Promise<unknown>

function senders(fraud: ReturnType<typeof createFraudPart>, now: Date): Record<RuleTarget, Send> {
  const makeOrder = createOrders(now, 1)
  const live = (org_id: string) => ({ org_id, mode: 'live' as const })
  return {
    order: async (org_id, number) =>
      await fraud.orders.score(live(org_id), makeOrder(number).order),
    check: async (org_id, number) =>
      await fraud.checks.run(
        { ...live(org_id), client_ip: undefined },
        {
          email: emailAddress(number),
          event_type: 'signup',
          device: { fingerprint_hash: `device-${number}`, platform: 'android' },
          metadata: { plan: 'gold', seats: number % 20 },
        },
      ),
    cashier_action: async (org_id, number) =>
      await fraud.cashier.record(live(org_id), {
        cashier_external_id: `cashier-${number % 3000}`,
        action_type: number % 3 === 0 ? 'no_sale' : 'void',
        amount_cents: 100 + (number % 900),
        reason: 'customer',
      }),
  }
}

type Measured = { plain: string; ruled: string; send: Send }

async function measure(
  context: Context,
  postgres: number,
  target: RuleTarget,
  { plain, ruled, send }: Measured,
): Promise<{ notes: string[]; aim: Aim }> {
  const turn = async (org_id: string, first: number): Promise<Turn> => {
    const databaseBefore = processorSeconds(postgres)
    const before = process.cpuUsage()
    for (let from = 0; from < REQUESTS_PER_TURN; from += TOGETHER) {
      const numbers = Array.from({ length: TOGETHER }, (_, i) => first + from + i)
      await Promise.all(numbers.map(async (number) => await send(org_id, number)))
    }
    const { user, system } = process.cpuUsage(before)
    const database = (processorSeconds(postgres) - databaseBefore) * MICROSECONDS
    return { own: (user + system) / REQUESTS_PER_TURN, database: database / REQUESTS_PER_TURN }
  }
  const turns: Record<'plain' | 'ruled', Turn[]> = { plain: [], ruled: [] }
  for (let number = 0; number < WARM_TURNS + TURNS; number += 1) {
    context.onProgress(`${NAMES[target]}: turn ${number + 1} of ${WARM_TURNS + TURNS}`)
    const first = number * (REQUESTS_PER_TURN + TOGETHER)
    const measured = { plain: await turn(plain, first), ruled: await turn(ruled, first) }
    if (number < WARM_TURNS) continue
    turns.plain.push(measured.plain)
    turns.ruled.push(measured.ruled)
  }
  const [without, withRules] = [medianTurn(turns.plain), medianTurn(turns.ruled)]
  const more = withRules.own - without.own
  const share = more / (without.own + without.database)
  const name = NAMES[target]
  return {
    notes: [
      `µs of ${name} without rules: ${fine(without.own)}, and ${fine(without.database)} of the database`,
      `µs of ${name} with ${RULES} rules: ${fine(withRules.own)}, of this process alone ${fine((100 * more) / without.own)} % more`,
    ],
    aim: {
      is_met: share < AIM_SHARE,
      text: `${RULES} custom rules add ${fine(100 * share)} % to the processor time of ${name}, aim below ${100 * AIM_SHARE} %`,
    },
  }
}

/** Microseconds of processor time for each request. */
type Turn = { own: number; database: number }

const medianTurn = (turns: readonly Turn[]): Turn => ({
  own: median(turns.map(({ own }) => own)),
  database: median(turns.map(({ database }) => database)),
})

const processorSeconds = (pid: number): number =>
  readProcessorTime(pid, []).processes.get(pid) ?? Number.NaN

/** The templates in turns, with other numbers each time; none of them changes a score. */
function manyRules(target: RuleTarget): CustomRule[] {
  const templates = RULE_TEMPLATES[target]
  return Array.from({ length: RULES }, (_, index) => {
    const template = templates[index % templates.length]
    if (!template) throw new Error('there are no templates')
    const when = template.when.replaceAll(/\d{3,}/g, (digits) => `${Number(digits) + index}`)
    return {
      ...template,
      name: `${template.name} ${index}`,
      when,
      applies_to: target,
      state: 'shadow',
      warning: '',
    }
  })
}
