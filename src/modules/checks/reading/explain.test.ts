import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Evidence, type EvidenceSignal, score, WEIGHTS } from '../../risk/index.ts'
import { explainCheck } from './explain.ts'

const signals = Object.keys(WEIGHTS) as EvidenceSignal[]

const evidenceOf = (signal: EvidenceSignal, strength: number, finding = 'found'): Evidence => ({
  signal,
  score: strength,
  finding,
  detail: `${signal} ${strength}`,
})

/** Explains a check with this evidence, where each signal is as strong as its strongest finding. */
function explained(evidence: readonly Evidence[], floor = 0) {
  const strengths = Object.fromEntries(
    signals.map((signal) => [
      signal,
      Math.max(0, ...evidence.filter((one) => one.signal === signal).map((one) => one.score)),
    ]),
  )
  const { risk_score, shares } = score(strengths, floor)
  return explainCheck(risk_score, { evidence, shares, hard_floor: floor }, undefined)
}

describe('the explanation of a check', () => {
  it('has points that add up to the score, with and without a floor', () => {
    const one = fc.record({
      signal: fc.constantFrom(...signals),
      strength: fc.integer({ min: 0, max: 100 }),
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), fc.constantFrom(0, 95), (found, least) => {
        const evidence = found.map(({ signal, strength }) => evidenceOf(signal, strength))
        const { parts, floor, risk_score } = explained(evidence, least)
        const sum = parts.reduce((total, { points }) => total + points, floor?.points ?? 0)
        // Very weak signals can round to a score of 0.
        expect(sum).toBe(parts.length === 0 && least === 0 ? 0 : risk_score)
        for (const part of parts) expect(part.points).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('counts one finding of each signal, the strongest', () => {
    const { parts } = explained([
      evidenceOf('phone', 35, 'voip_number'),
      evidenceOf('phone', 80, 'recent_sim_swap'),
      evidenceOf('phone', 80, 'reported'),
    ])
    expect(parts.length).toBe(1)
    expect(parts[0]?.findings).toMatchObject([
      { finding: 'recent_sim_swap', strength: 80, counts: true },
      { finding: 'reported', strength: 80, counts: false },
      { finding: 'voip_number', strength: 35, counts: false },
    ])
  })

  it('does not depend on the order of the signals', () => {
    const [a, b] = [evidenceOf('mx', 60), evidenceOf('device', 60)]
    expect(explained([a, b]).parts).toEqual(explained([b, a]).parts)
  })

  it('distinguishes findings without risk, unknown facts and skipped look-ups', () => {
    const detail = (finding: string, text: string): Evidence => ({
      ...evidenceOf('domain_age', 0, finding),
      detail: text,
    })
    const { silent, unknowns } = explained([
      detail('registered_long_ago', 'The domain was registered 900 days ago.'),
      detail('registration_unknown', 'The registration date is unknown (timeout).'),
      detail('mail_route_unknown', 'The mail servers are unknown (not_applicable).'),
      detail('registry_without_record', 'The registry has no record, but the domain may exist.'),
    ])
    expect(silent.map(({ finding }) => finding)).toEqual(['registered_long_ago'])
    expect(unknowns).toEqual([
      {
        what: 'Registration date of the domain',
        why: 'The source did not answer before the deadline of the check',
        is_unavailable: true,
      },
      {
        what: 'Mail servers of the domain',
        why: 'The look-up was skipped because the domain is well known',
        is_unavailable: false,
      },
      {
        what: 'Registration date of the domain',
        why: 'The registry has no record, but the domain may exist',
        is_unavailable: false,
      },
    ])
  })
})
