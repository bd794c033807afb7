/**
 * FCM and APNs as emulators in separate processes, which survive the kills of the test. The database is
 * compared with the notifications that they accepted.
 */
import { Agent, request } from 'undici'
import type { LedgerEntry } from '../../emulators/push-ledger.ts'
import { launch, type Running, waitFor } from './program.ts'

export type PushProviders = {
  /** Environment variables with which the service reaches the emulators. */
  env: Record<string, string>
  fcm: Control
  apns: Control
  /** Number of acceptances of each notification, by recipient id. */
  accepted(): Promise<Map<string, number>>
  close(): Promise<void>
}

export type Control = <Answer>(
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  path: string,
  body?: object,
) => Promise<Answer>

type Started = { url: string; token_url: string; ca_file: string }
type Emulator = { process: Running; started: Started }

/** @param ca reads the file of the certificate authority */
export async function startPushProviders(
  cwd: string,
  ca: (file: string) => string,
): Promise<PushProviders> {
  // Started one after the other, because the first one creates the certificate authority.
  const fcm = await emulate('fcm', cwd)
  const apns = await emulate('apns', cwd)
  const agent = new Agent({ connect: { ca: ca(fcm.started.ca_file) } })
  const controls = { fcm: controlOf(fcm, agent), apns: controlOf(apns, agent) }
  return {
    env: {
      VIGIL_FCM_URL: fcm.started.url,
      VIGIL_FCM_TOKEN_URL: fcm.started.token_url,
      VIGIL_APNS_URL: apns.started.url,
      NODE_EXTRA_CA_CERTS: fcm.started.ca_file,
    },
    ...controls,
    accepted: async () => await readAccepted(controls),
    close: async () => {
      for (const { process } of [fcm, apns]) process.child.kill('SIGTERM')
      await Promise.all([fcm.process.ended, apns.process.ended, agent.destroy()])
    },
  }
}

async function emulate(kind: 'fcm' | 'apns', cwd: string): Promise<Emulator> {
  const process = launch(['emulate', kind, '--port', '0', '--json', '--folder', 'emulators'], {
    cwd,
  })
  const line = await waitFor(process, () => /^\{.*\}$/m.exec(process.stdout())?.[0])
  return { process, started: JSON.parse(line) as Started }
}

const controlOf =
  ({ started }: Emulator, dispatcher: Agent): Control =>
  async <Answer>(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: object) => {
    const answer = await request(`${started.url}/control/${path}`, {
      method,
      dispatcher,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (answer.statusCode !== 200) throw new Error(`${path}: ${await answer.body.text()}`)
    return (await answer.body.json()) as Answer
  }

async function readAccepted({ fcm, apns }: Record<'fcm' | 'apns', Control>) {
  const counts = new Map<string, number>()
  const add = (id: string, count: number) => counts.set(id, (counts.get(id) ?? 0) + count)
  const [android, apple] = await Promise.all(
    [fcm, apns].map(async (ask) => await ask<{ messages: LedgerEntry[] }>('GET', 'truth')),
  )
  for (const { tag, id, count } of android?.messages ?? []) add(tag ?? id, count)
  for (const { id, count } of apple?.messages ?? []) add(id, count)
  return counts
}
