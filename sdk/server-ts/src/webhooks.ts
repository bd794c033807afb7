/** Verifies deliveries of webhooks. It uses Web Crypto, so it also runs in Deno and in edge workers. */
import type {
  CashierAction,
  CheckResult,
  DeviceCommand,
  ManagedDevice,
  ScoredOrder,
  UpsertedProfile,
} from './generated/types.ts'

/** The types of events with their `data`. */
export type WebhookData = {
  'order.fraud.detected': ScoredOrder
  'order.fraud.alert': ScoredOrder
  'profile.risk.changed': {
    profile: UpsertedProfile['profile']
    previous_risk_level: 'low' | 'medium' | 'high' | 'critical'
  }
  'cashier.fraud.detected': CashierAction
  'email.check.completed': CheckResult
  'email.check.failed': { check_id: string; email: string }
  'mdm.device.enrolled': ManagedDevice
  'mdm.device.compliance_changed': ManagedDevice
  'mdm.command.completed': DeviceCommand
}

export type WebhookEvent = {
  [Type in keyof WebhookData]: {
    /** The same in every attempt: store it, and ignore an event that you have. */
    id: string
    type: Type
    timestamp: string
    data: WebhookData[Type]
  }
}[keyof WebhookData]

export type WebhookRequest = {
  /** The body as received, not parsed and serialized again. */
  body: Uint8Array | string
  /** Header `X-Service-Signature`. */
  signature: string | null | undefined
  /** Secrets of the endpoint, including `whsec_`; more than one while a new one is introduced. */
  secrets: readonly string[]
  /** Greatest difference between the clocks. */
  tolerance_seconds?: number | undefined
  /** Unix time in seconds. */
  now?: number | undefined
}

/** @returns the event, or undefined if the request is not genuine: answer it with 401 */
export async function verifyWebhook({
  body,
  signature,
  secrets,
  tolerance_seconds = 300,
  now = Date.now() / 1000,
}: WebhookRequest): Promise<WebhookEvent | undefined> {
  const [, time = '', mac = ''] = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/.exec(signature ?? '') ?? []
  if (mac === '' || Math.abs(now - Number(time)) > tolerance_seconds) return undefined
  const encoder = new TextEncoder()
  const content = typeof body === 'string' ? encoder.encode(body) : body
  const prefix = encoder.encode(`${time}.`)
  const signed = new Uint8Array(prefix.length + content.length)
  signed.set(prefix)
  signed.set(content, prefix.length)
  const given = Uint8Array.from(mac.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey(
      'raw',
      encoder.encode(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    )
    // Compares in constant time.
    if (await crypto.subtle.verify('HMAC', key, given, signed)) {
      return JSON.parse(new TextDecoder().decode(content)) as WebhookEvent
    }
  }
  return undefined
}
