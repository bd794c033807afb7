/** The phone on which an app runs, for either provider. */
import type { ApnsControl } from '../apns/control.ts'
import type { FcmControl } from '../fcm/control.ts'
import type { Delivery } from '../push-ledger.ts'

/** `phone_id` is the id of an existing phone; default a new one. */
export type Phone =
  | {
      readonly platform: 'android'
      readonly control: FcmControl
      readonly package_name?: string
      readonly phone_id?: string
    }
  | {
      readonly platform: 'ios'
      readonly control: ApnsControl
      readonly bundle_id?: string
      readonly phone_id?: string
    }

export type Notification = {
  /** Null when the notification was not sent by Vigil. */
  readonly message_id: string | null
  readonly recipient_id: string | null
  readonly title: string | null
  readonly body: string | null
  readonly deep_link: string | null
  /** True when the notification is shown to the user, false when only the app receives it. */
  readonly is_shown: boolean
  readonly data: Readonly<Record<string, unknown>>
}

export type Handset = {
  /** Null until the token is first read. */
  id: () => string | null
  token: () => string
  renewToken: () => void
  /** Returns the notifications since the last call, oldest first. */
  takeArrived: () => Notification[]
}

export function createHandset(phone: Phone): Handset {
  let id: string | null = phone.phone_id ?? null
  let taken = 0
  const view = () => {
    id ??= makePhone(phone)
    return phone.control.getPhone(id)
  }
  return {
    id: () => id,
    token: () => view().token,
    renewToken: () => void phone.control.renewToken(view().id),
    takeArrived: () => {
      const { received, last } = view()
      // The count restarts when the ledger of the provider is cleared.
      const fresh = received >= taken ? received - taken : received
      taken = received
      return fresh === 0 ? [] : last.slice(-fresh).map((delivery) => read(phone, delivery))
    },
  }
}

function makePhone(phone: Phone): string {
  if (phone.platform === 'ios') {
    const { bundle_id } = phone
    return phone.control.makePhone(bundle_id === undefined ? {} : { bundle_id }).id
  }
  const { package_name } = phone
  return phone.control.makePhone(package_name === undefined ? {} : { package_name }).id
}

type Json = Record<string, unknown>

function read({ platform }: Phone, { body }: Delivery): Notification {
  const payload = objectOf(body)
  return platform === 'android' ? readAndroid(payload) : readApple(payload)
}

function readAndroid(message: Json): Notification {
  const data = objectOf(message['data'])
  const shown = objectOf(message['notification'])
  return {
    ...ownPart(data),
    title: textOf(shown['title']),
    body: textOf(shown['body']),
    is_shown: message['notification'] !== undefined,
    data,
  }
}

function readApple({ aps, ...data }: Json): Notification {
  const { alert } = objectOf(aps)
  const shown = objectOf(alert)
  return {
    ...ownPart(data),
    title: textOf(shown['title']),
    body: typeof alert === 'string' ? alert : textOf(shown['body']),
    is_shown: alert !== undefined,
    data,
  }
}

const ownPart = (data: Json) => ({
  message_id: textOf(data['vigil_message_id']),
  recipient_id: textOf(data['vigil_recipient_id']),
  deep_link: textOf(data['vigil_deep_link']),
})

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
