import { expect, it } from 'vitest'
import type { CredentialRef } from '../../credentials/credential.ts'
import type { CredentialEffect, Effect } from '../effects.ts'
import { credentialChangesOf } from './credential-changes.ts'

const REF: CredentialRef = { application_id: 'app', provider: 'fcm', version: 'v' }

const effectOf = (credential: CredentialEffect | undefined): Effect => ({
  verdict: 'failed',
  ...(credential && { credential }),
})
const of = (...effects: (CredentialEffect | undefined)[]) =>
  credentialChangesOf(effects.map((credential) => ({ ref: REF, effect: effectOf(credential) })))

const accepted: CredentialEffect = { kind: 'accepted' }
const unavailable = (pause_ms = 0): CredentialEffect => ({ kind: 'unavailable', pause_ms })
const failing: CredentialEffect = { kind: 'failing', pause_ms: 0 }
const rejected: CredentialEffect = { kind: 'rejected', error: 'Check the key.' }

it('reports an accepted credential once', () => {
  expect(of(accepted, undefined, accepted)).toEqual({ accepted: [REF], pauses: [], rejected: [] })
})

it('merges outcomes of a version across claims', () => {
  const news = credentialChangesOf([
    { ref: { ...REF }, effect: effectOf(accepted) },
    { ref: { ...REF }, effect: effectOf(unavailable()) },
  ])
  expect(news).toEqual({ accepted: [REF], pauses: [], rejected: [] })
})

it('keeps different credentials apart', () => {
  const other = { ...REF, provider: 'apns' as const }
  const news = credentialChangesOf([
    { ref: REF, effect: effectOf(accepted) },
    { ref: other, effect: effectOf(rejected) },
  ])
  expect(news).toEqual({
    accepted: [REF],
    pauses: [],
    rejected: [{ ...other, error: 'Check the key.' }],
  })
})

it('pauses an unavailable provider for the longest time that it asks for', () => {
  expect(of(unavailable(), unavailable(5000), unavailable(2000)).pauses).toEqual([
    { ...REF, pause_ms: 5000, is_outage: true },
  ])
})

it('does not consider a provider unavailable that accepts notifications', () => {
  expect(of(unavailable(5000), accepted).pauses).toEqual([])
})

it('infers an outage from many failures, but not from a few', () => {
  expect(of(...Array.from({ length: 7 }, () => failing)).pauses).toEqual([])
  expect(of(...Array.from({ length: 8 }, () => failing)).pauses).toMatchObject([
    { is_outage: true },
  ])
})

it('rejects a key if many devices belong to another app and none was ever accepted', () => {
  const foreign: Effect = { verdict: 'failed', if_foreign: 'Another app.' }
  const rejectedOf = (is_untested: boolean, ...effects: Effect[]) =>
    credentialChangesOf(effects.map((effect) => ({ ref: { ...REF, is_untested }, effect })))
      .rejected
  const some = Array.from({ length: 7 }, () => foreign)
  expect(rejectedOf(true, ...some)).toEqual([])
  expect(rejectedOf(true, ...some, foreign)).toEqual([{ ...REF, error: 'Another app.' }])
  expect(rejectedOf(true, ...some, foreign, effectOf(accepted))).toEqual([])
  expect(rejectedOf(false, ...some, foreign)).toEqual([])
})

it('pauses when throttled, even if others were accepted', () => {
  expect(of(accepted, { kind: 'throttled', pause_ms: 60_000 }).pauses).toEqual([
    { ...REF, pause_ms: 60_000, is_outage: false },
  ])
})
