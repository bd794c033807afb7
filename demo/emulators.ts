/**
 * The services around the demo, emulated in this process: name servers, registries, webhook receivers, a mail
 * server, Slack, Google and Apple. All of them listen on the loopback interface only.
 */
import { join } from 'node:path'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../emulators/android-management/index.ts'
import { startApns } from '../emulators/apns/index.ts'
import { createAuthority, ensureAuthority, type Identity } from '../emulators/certificate.ts'
import { startDns } from '../emulators/dns.ts'
import { startFcm } from '../emulators/fcm/index.ts'
import { startRdap } from '../emulators/rdap.ts'
import { type Receiver, startReceiver } from '../emulators/receiver.ts'
import { startSlack } from '../emulators/slack.ts'
import { type SmtpEmulator, startSmtp } from '../emulators/smtp.ts'
import type { Outside } from '../src/app/outside.ts'
import type { Clock } from '../src/platform/clock.ts'
import { type PushEmulators, readPushKeys, writePushKeys } from './push-keys.ts'
import { dnsRecords, registrations } from './story/mail-domains.ts'
import { RECEIVER_HOSTS, SHOP_RECEIVER } from './story/receivers.ts'

/** The sample shop trusts this authority too. */
export const authorityFolder = (folder: string): string => join(folder, 'authority')

export type DemoEmulators = PushEmulators & {
  /** Settings of the service, as names and values of the environment. */
  settings: Record<string, string>
  outside: { [Name in 'push_ca' | 'webhook_ca' | 'trialUrl']: NonNullable<Outside[Name]> }
  authority: Identity
  receiver: Receiver
  /** Target of the notification channels, as Slack is. */
  smtp: SmtpEmulator
  slack: Receiver
  android: AndroidEmulator
  close: () => Promise<void>
}

export type EmulatorOptions = {
  /** The clock of the service, for phones that report during the story. */
  clock: Clock
  /** State that has to outlive the process is stored here; without a folder, none is. */
  folder?: string
  /** The port of the receiver is part of the URLs of the endpoints; a free one by default. */
  receiver_port?: number
}

/** Logs are retained longer than by default, so that the first day of the story does not expire. */
const RETENTION_DAYS = '60'
/** Short enough that one command has expired even in a short story. */
const COMMAND_HOURS = '24'
/** The emulator has no quota, and the requests of a month are sent within seconds. */
const QUOTA = '6000'

export async function startEmulators(options: EmulatorOptions): Promise<DemoEmulators> {
  const { clock, folder, receiver_port } = options
  const authority =
    folder === undefined ? createAuthority() : ensureAuthority(authorityFolder(folder))
  const dns = await startDns({ scenario: dnsRecords() })
  const rdap = await startRdap({ scenario: registrations(clock.now()) })
  const receiver = await startReceiverAt(receiver_port, authority)
  const smtp = await startSmtp()
  const slack = await startSlack({ authority })
  const android = await startAndroidManagement({
    port: 0,
    now: clock.now,
    ...(folder !== undefined && { folder: join(folder, 'android-management') }),
  })
  const stored = readPushKeys(folder)
  const fcm = await startFcm({ port: 0, authority })
  if (stored) fcm.control.addServiceAccount(stored.service_account)
  const apns = { port: 0, authority }
  const keys = stored ? [stored.apns] : []
  const production = await startApns({ ...apns, environment: 'production', keys })
  const key = production.control.signingKey()
  if (folder !== undefined && !stored) {
    writePushKeys(folder, { service_account: fcm.control.serviceAccount(), apns: key })
  }
  const sandbox = await startApns({ ...apns, environment: 'sandbox', keys: [key] })
  const all = [dns, rdap, receiver, smtp, slack, android, fcm, production, sandbox]
  return {
    settings: {
      VIGIL_DNS_SERVERS: dns.address,
      VIGIL_RDAP_BOOTSTRAP_URL: rdap.bootstrap_url,
      VIGIL_WHOIS_SERVER: rdap.whois.address,
      VIGIL_WEBHOOK_ALLOW: [
        ...RECEIVER_HOSTS.map((host) => `${host}:${receiver.port}`),
        SHOP_RECEIVER,
        new URL(slack.url).host,
      ].join(','),
      VIGIL_SMTP_URL: smtp.url,
      VIGIL_SMTP_FROM: 'Northwind Supermarkets <vigil@northwind.example>',
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
    outside: {
      trialUrl: () => Promise.resolve(android.url),
      push_ca: authority.cert,
      webhook_ca: authority.cert,
    },
    authority,
    receiver,
    smtp,
    slack,
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
  if (port === undefined) return await startReceiver(options)
  try {
    return await startReceiver({ ...options, port })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    return await startReceiver(options)
  }
}
