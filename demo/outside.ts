/**
 * The outside world of the demonstration, played in this process: name servers, registries, receivers
 * of webhooks, Google and Apple. Everything listens on the loopback interface only.
 */
import { join } from 'node:path'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../emulators/android-management/index.ts'
import { type ApnsEmulator, startApns } from '../emulators/apns/index.ts'
import { createAuthority, type Identity, keepAuthority } from '../emulators/certificate.ts'
import { startDns } from '../emulators/dns.ts'
import { type FcmEmulator, startFcm } from '../emulators/fcm/index.ts'
import { startRdap } from '../emulators/rdap.ts'
import { type Receiver, startReceiver } from '../emulators/receiver.ts'
import type { Beside } from '../src/beside.ts'
import type { Clock } from '../src/platform/clock.ts'
import { keepPushKeys, readPushKeys } from './push-keys.ts'
import { mailWorld, registry } from './story/mail-world.ts'
import { RECEIVER_HOSTS } from './story/receivers.ts'

export type Outside = {
  /** What the service has to be told, as names and values of the environment. */
  settings: Record<string, string>
  beside: { [Name in keyof Beside]-?: NonNullable<Beside[Name]> }
  authority: Identity
  receiver: Receiver
  android: AndroidEmulator
  fcm: FcmEmulator
  apns: { production: ApnsEmulator; sandbox: ApnsEmulator }
  close: () => Promise<void>
}

export type OutsideOptions = {
  /** That of the service, for phones that report in the middle of the story. */
  clock: Clock
  /** Where what has to outlive the process is kept; without it, nothing does. */
  folder?: string
  /** Of the receiver, whose address stands in the endpoints. Default: a free one. */
  receiver_port?: number
}

/** Logs are kept longer than by default: the first day of the story must not be the one that goes. */
const RETENTION_DAYS = '60'
/** So that one has expired, however short the story. */
const COMMAND_HOURS = '24'
/** The emulator has no quota, and a month of requests goes there within seconds. */
const QUOTA = '6000'

export async function startOutside(options: OutsideOptions): Promise<Outside> {
  const { clock, folder, receiver_port } = options
  const authority =
    folder === undefined ? createAuthority() : keepAuthority(join(folder, 'authority'))
  const dns = await startDns({ scenario: mailWorld() })
  const rdap = await startRdap({ scenario: registry(clock.now()) })
  const receiver = await startReceiverAt(receiver_port, authority)
  const android = await startAndroidManagement({
    port: 0,
    now: clock.now,
    ...(folder !== undefined && { folder: join(folder, 'android-management') }),
  })
  const kept = readPushKeys(folder)
  const fcm = await startFcm({ port: 0, authority })
  if (kept) fcm.control.addServiceAccount(kept.service_account)
  const production = await startApns({
    port: 0,
    authority,
    environment: 'production',
    keys: kept ? [kept.apns] : [],
  })
  const keys = [production.control.signingKey()]
  if (folder !== undefined && !kept) {
    keepPushKeys(folder, {
      service_account: fcm.control.serviceAccount(),
      apns: production.control.signingKey(),
    })
  }
  const sandbox = await startApns({ port: 0, authority, environment: 'sandbox', keys })
  const all = [dns, rdap, receiver, android, fcm, production, sandbox]
  return {
    settings: {
      VIGIL_DNS_SERVERS: dns.address,
      VIGIL_RDAP_BOOTSTRAP_URL: rdap.bootstrap_url,
      VIGIL_WHOIS_SERVER: rdap.whois.address,
      VIGIL_WEBHOOK_ALLOW: RECEIVER_HOSTS.map((host) => `${host}:${receiver.port}`).join(','),
      VIGIL_FCM_URL: fcm.url,
      VIGIL_FCM_TOKEN_URL: fcm.token_url,
      VIGIL_APNS_URL: production.url,
      VIGIL_APNS_SANDBOX_URL: sandbox.url,
      VIGIL_EDGE_RETENTION_DAYS: RETENTION_DAYS,
      VIGIL_MDM_COMMAND_HOURS: COMMAND_HOURS,
      VIGIL_ANDROID_REQUESTS_PER_MINUTE: QUOTA,
      VIGIL_ANDROID_ENTERPRISE_REQUESTS_PER_MINUTE: QUOTA,
      VIGIL_ANDROID_POLICY_REQUESTS_PER_MINUTE: QUOTA,
    },
    beside: {
      trialUrl: () => Promise.resolve(android.url),
      push_ca: authority.cert,
      webhook_ca: authority.cert,
    },
    authority,
    receiver,
    android,
    fcm,
    apns: { production, sandbox },
    close: async () => {
      for (const each of all) await each.close()
    },
  }
}

async function startReceiverAt(port: number | undefined, authority: Identity): Promise<Receiver> {
  const options = { authority, names: [...RECEIVER_HOSTS, 'localhost', '127.0.0.1'] }
  if (port !== undefined) {
    try {
      return await startReceiver({ ...options, port })
    } catch (error) {
      if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    }
  }
  return await startReceiver(options)
}
