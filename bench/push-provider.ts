/** The provider of the push benchmark, in a process of its own: the emulator of FCM, and its phones. */
import type { Identity } from '../emulators/certificate.ts'
import { type FcmEmulator, startFcm } from '../emulators/fcm/index.ts'
import { requestToken } from '../emulators/fcm/testing.ts'
import type { ServiceAccount } from '../emulators/google-oauth.ts'
import { connectTo } from '../emulators/push-testing.ts'
import { cpuSecondsSince } from './loop.ts'
import { serveJobs, startWorker, type Worker } from './worker.ts'

export type ProviderAddress = {
  url: string
  token_url: string
  account: ServiceAccount
  /** For this account, good for an hour. */
  access_token: string
}

export type ProviderCount = {
  /** Requests that were accepted, and of these those that had been before. */
  accepted: number
  repeated: number
  /** When the last of them was answered, in milliseconds since 1970. */
  last_at_ms: number
  connections: number
  cpu_seconds: number
}

export type Provider = {
  address: ProviderAddress
  /** @returns their tokens */
  makePhones(phones: { count: number; package_name: string }): Promise<string[]>
  /** Forgets what came. */
  begin(): Promise<void>
  end(): Promise<ProviderCount>
  /** When the last message came to this phone; undefined while there is none. */
  arrival(token: string): Promise<number | undefined>
  stop(): Promise<void>
}

type ProviderJob =
  | { step: 'start'; authority: Identity }
  | { step: 'phones'; count: number; package_name: string }
  | { step: 'begin' | 'end' }
  | { step: 'arrival'; token: string }

type ProviderResult = {
  address?: ProviderAddress
  tokens?: string[]
  count?: ProviderCount
  at_ms?: number
}

export async function startProvider(
  authority: Identity,
  profileFolder?: string,
): Promise<Provider> {
  const worker: Worker<ProviderJob, ProviderResult> = startWorker('push-provider', profileFolder)
  const { address } = await worker.run({ step: 'start', authority })
  if (!address) throw new Error('the provider did not start')
  return {
    address,
    makePhones: async (phones) => (await worker.run({ step: 'phones', ...phones })).tokens ?? [],
    begin: async () => {
      await worker.run({ step: 'begin' })
    },
    end: async () => (await worker.run({ step: 'end' })).count ?? NOTHING,
    arrival: async (token) => (await worker.run({ step: 'arrival', token })).at_ms,
    stop: worker.stop,
  }
}

const NOTHING: ProviderCount = {
  accepted: 0,
  repeated: 0,
  last_at_ms: 0,
  connections: 0,
  cpu_seconds: 0,
}

export async function servePushProvider(): Promise<void> {
  let emulator: FcmEmulator | undefined
  let cpu = process.cpuUsage()
  let connections = 0
  await serveJobs<ProviderJob, ProviderResult>(async (job) => {
    if (job.step === 'start') emulator = await startFcm({ authority: job.authority, port: 0 })
    if (!emulator) throw new Error('the emulator was not started')
    const { control } = emulator
    switch (job.step) {
      case 'start':
        return { address: await addressOf(emulator) }
      case 'phones': {
        const { count, package_name } = job
        return { tokens: control.makePhones(count, { package_name }) }
      }
      case 'begin':
        control.clear()
        connections = control.traffic().connections_total
        cpu = process.cpuUsage()
        return {}
      case 'end': {
        const { accepted, repeated } = control.truth()
        const last_at_ms = Date.parse(control.requests().at(-1)?.at ?? '')
        const opened = control.traffic().connections_total - connections
        const cpu_seconds = cpuSecondsSince(cpu)
        return { count: { accepted, repeated, last_at_ms, connections: opened, cpu_seconds } }
      }
      case 'arrival': {
        const at = control.getPhone(job.token).last.at(-1)?.at
        return at === undefined ? {} : { at_ms: Date.parse(at) }
      }
    }
  })
}

async function addressOf(emulator: FcmEmulator): Promise<ProviderAddress> {
  const { control, url, token_url } = emulator
  const client = await connectTo(emulator)
  const { body } = await requestToken(emulator, client)
  client.close()
  const { access_token } = body as { access_token: string }
  return { url, token_url, account: control.serviceAccount(), access_token }
}
