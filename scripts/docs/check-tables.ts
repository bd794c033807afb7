/**
 * The tables of docs/checks.md. Nothing is copied: each row is a case that is put to the rules, and
 * shows the finding and the strength that they answer.
 */
import { assessSharing } from '../../src/modules/checks/device/device.ts'
import { assessIp } from '../../src/modules/checks/ip/assess-ip.ts'
import type { IpFacts } from '../../src/modules/checks/ip/ip-facts.ts'
import { sandboxCatalogue } from '../../src/modules/checks/sandbox/catalogue.ts'
import { assessVelocity, VELOCITY_KINDS } from '../../src/modules/checks/velocity/velocity.ts'
import { assessPhone, type PhoneSignals } from '../../src/modules/phone/index.ts'
import { weightOf } from '../../src/modules/phone/report-weight.ts'
import { judge, type Opinion } from '../../src/modules/reputation/index.ts'
import { type Evidence, score, WEIGHTS } from '../../src/modules/risk/index.ts'
import { emailCases } from './email-cases.ts'
import { renderTable } from './table.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const DAY_MS = 86_400_000

/** By the name of their markers. */
export function checkTables(): Record<string, string> {
  return {
    weights: weights(),
    'email findings': findings(emailCases(NOW)),
    'phone findings': findings(phoneCases()),
    'ip findings': findings(ipCases()),
    'device findings': findings(deviceCases()),
    'velocity findings': velocity(),
    'sandbox e-mails': sandbox('emails'),
    'sandbox phones': sandbox('phone_numbers'),
    'sandbox event types': renderTable(
      ['`event_type`', 'What it changes'],
      Object.entries(sandboxCatalogue(NOW).event_types).map(([name, text]) => [code(name), text]),
    ),
  }
}

export type FindingCase = { when: string; evidence: Evidence | undefined }

const code = (text: string): string => `\`${text}\``

function weights(): string {
  const rows = Object.entries(WEIGHTS).map(([signal, weight]) => {
    const alone = score({ [signal]: 100 }, 0)
    return [code(signal), String(weight), `${alone.risk_score} (${alone.risk_level})`]
  })
  return renderTable(['Signal', 'Weight', 'Score of a certain signal alone'], rows)
}

/** @throws Error for a case in which the rules find nothing: the table would promise too much */
function findings(cases: readonly FindingCase[]): string {
  const rows = cases.map(({ when, evidence }) => {
    if (!evidence) throw new Error(`The rules find nothing where ${when}`)
    return [code(evidence.finding), code(evidence.signal), String(evidence.score), when]
  })
  return renderTable(['Finding', 'Signal', 'Strength', 'When'], rows)
}

const MOBILE: PhoneSignals = {
  is_valid: true,
  carrier: null,
  line_type: 'mobile',
  country_code: 'US',
  recent_sim_swap: false,
  sim_swap_date: null,
  ported: false,
  ported_date: null,
}

function phoneCases(): FindingCase[] {
  const of = (signals: Partial<PhoneSignals>, opinions: Opinion[] = [], eventType?: string) =>
    assessPhone({ ...MOBILE, ...signals }, judge(opinions, NOW), eventType, NOW)[0]
  const report = (is_own: boolean): Opinion => ({
    is_own,
    ...weightOf('fraud', 100),
    updated_at: NOW,
  })
  const others = (count: number) => Array.from({ length: count }, () => report(false))
  const yesterday = new Date(NOW.getTime() - DAY_MS).toISOString()
  return [
    { when: 'no such number is assigned', evidence: of({ is_valid: false }) },
    { when: 'SIM swapped within 7 days', evidence: of({ recent_sim_swap: true }) },
    {
      when: 'the same, for a `login`, `payment`, `withdrawal` or `transfer`',
      evidence: of({ recent_sim_swap: true }, [], 'transfer'),
    },
    { when: 'a VoIP or personal number', evidence: of({ line_type: 'voip' }) },
    {
      when: 'moved to another carrier within 7 days',
      evidence: of({ ported: true, ported_date: yesterday }),
    },
    { when: 'your own organisation reported fraud today', evidence: of({}, [report(true)]) },
    { when: 'one other organisation did', evidence: of({}, others(1)) },
    { when: 'two others did', evidence: of({}, others(2)) },
    { when: 'three or more others did', evidence: of({}, others(3)) },
  ]
}

function ipCases(): FindingCase[] {
  const of = (facts: Partial<IpFacts>) =>
    assessIp({
      facts: {
        country_code: 'US',
        asn: 1,
        organisation: null,
        network_class: 'isp',
        service: null,
        ...facts,
      },
      phone_country_code: 'US',
    })[0]
  return [
    { when: 'the network is known for Tor exits', evidence: of({ service: 'tor' }) },
    { when: 'the network is known for proxies', evidence: of({ service: 'proxy' }) },
    { when: 'the network is known for VPN exits', evidence: of({ service: 'vpn' }) },
    { when: 'a data centre', evidence: of({ network_class: 'hosting' }) },
    {
      when: 'used in another country than that of the phone (not for data centres)',
      evidence: of({ country_code: 'DE' }),
    },
  ]
}

function deviceCases(): FindingCase[] {
  return [2, 3, 5, 7, 10].map((people) => ({
    when: `${people} or more people used the device within 30 days`,
    evidence: assessSharing(people),
  }))
}

const BURSTS = [5, 10, 20, 50, 200]

/** An identity without a past that is seen so often within five minutes. */
function velocity(): string {
  const rows = VELOCITY_KINDS.map((kind) => {
    const scores = BURSTS.map((n) => {
      const counts = { count_5m: n, count_1h: n, count_1d: n, count_7d: n }
      return String(assessVelocity({ kind, counts })?.score ?? 0)
    })
    return [code(`${kind}_velocity`), ...scores]
  })
  return renderTable(['Finding', ...BURSTS.map((n) => `${n} times`)], rows)
}

function sandbox(list: 'emails' | 'phone_numbers'): string {
  const rows = sandboxCatalogue(NOW)[list].map((entry) => {
    const { description, risk_score, risk_level, ...named } = entry
    const value = Object.values(named).join()
    return [code(value), String(risk_score ?? '–'), String(risk_level ?? '–'), String(description)]
  })
  return renderTable(['Value', 'Score', 'Level', 'What it stands for'], rows)
}
