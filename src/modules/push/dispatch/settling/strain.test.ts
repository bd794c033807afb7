import { expect, it } from 'vitest'
import type { CredentialRef } from '../../credentials/credential.ts'
import type { CredentialEffect, Effect } from '../effects.ts'
import { newsOf } from './strain.ts'

const REF: CredentialRef = { application_id: 'app', provider: 'fcm', version: 'v' }

const effectOf = (credential: CredentialEffect | undefined): Effect => ({
  verdict: 'failed',
  ...(credential && { credential }),
})
const of = (...effects: (CredentialEffect | undefined)[]) =>
  newsOf(effects.map((credential) => ({ ref: REF, effect: effectOf(credential) })))

const accepted: CredentialEffect = { kind: 'accepted' }
const away = (pause_ms = 0): CredentialEffect => ({ kind: 'away', pause_ms })
const failing: CredentialEffect = { kind: 'failing', pause_ms: 0 }
const rejected: CredentialEffect = { kind: 'rejected', error: 'Check the key.' }

it('says once that a credential was accepted', () => {
  expect(of(accepted, undefined, accepted)).toEqual({ accepted: [REF], pauses: [], rejected: [] })
})

it('takes a version for one credential, in however many claims it was opened', () => {
  const news = newsOf([
    { ref: { ...REF }, effect: effectOf(accepted) },
    { ref: { ...REF }, effect: effectOf(away()) },
  ])
  expect(news).toEqual({ accepted: [REF], pauses: [], rejected: [] })
})

it('keeps credentials apart', () => {
  const other = { ...REF, provider: 'apns' as const }
  const news = newsOf([
    { ref: REF, effect: effectOf(accepted) },
    { ref: other, effect: effectOf(rejected) },
  ])
  expect(news).toEqual({
    accepted: [REF],
    pauses: [],
    rejected: [{ ...other, error: 'Check the key.' }],
  })
})

it('pauses for a provider that is away, for the longest time that it names', () => {
  expect(of(away(), away(5000), away(2000)).pauses).toEqual([
    { ...REF, pause_ms: 5000, is_outage: true },
  ])
})

it('does not take a provider for away that accepts', () => {
  expect(of(away(5000), accepted).pauses).toEqual([])
})

it('takes many failures for an outage, and few for a matter of the messages', () => {
  expect(of(...Array.from({ length: 7 }, () => failing)).pauses).toEqual([])
  expect(of(...Array.from({ length: 8 }, () => failing)).pauses).toMatchObject([
    { is_outage: true },
  ])
})

it('takes a key for the wrong one where many devices are of another app, and none was ever right', () => {
  const foreign: Effect = { verdict: 'failed', if_foreign: 'Another app.' }
  const rejectedOf = (is_untested: boolean, ...effects: Effect[]) =>
    newsOf(effects.map((effect) => ({ ref: { ...REF, is_untested }, effect }))).rejected
  const some = Array.from({ length: 7 }, () => foreign)
  expect(rejectedOf(true, ...some)).toEqual([])
  expect(rejectedOf(true, ...some, foreign)).toEqual([{ ...REF, error: 'Another app.' }])
  expect(rejectedOf(true, ...some, foreign, effectOf(accepted))).toEqual([])
  expect(rejectedOf(false, ...some, foreign)).toEqual([])
})

it('pauses when fewer requests are wanted, though others were accepted', () => {
  expect(of(accepted, { kind: 'throttled', pause_ms: 60_000 }).pauses).toEqual([
    { ...REF, pause_ms: 60_000, is_outage: false },
  ])
})
