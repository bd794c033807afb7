/** The operations that the controls of the FCM and the APNs emulator share. */
import type { Identity } from './certificate.ts'
import { type ControlRoute, callControl, controlRoute } from './control-routes.ts'
import { ApiError, errorReply } from './google-errors.ts'
import type { Traffic } from './http2-streams.ts'
import { jsonReply, type WireReply, type WireRequest } from './http2-wire.ts'
import { emptyInbox, type Inbox, type InboxView, type Ledger, type Truth } from './push-ledger.ts'
import type { RingBuffer } from './ring-buffer.ts'

/** The types by which the emulators differ. */
type PushTypes = {
  phone_request: object
  phone_change: object
  phone_view: object
  faults: object
  quotas: object
  request_record: object
}

/** Phones are identified by their id or their token. Operations that are not possible throw. */
export type PushControl<T extends PushTypes> = {
  makePhone: (request?: T['phone_request']) => T['phone_view']
  /** @returns the tokens of the new phones */
  makePhones: (count: number, request?: T['phone_request']) => string[]
  /** @param limit number of phones, of which the newest are returned */
  listPhones: (limit?: number) => T['phone_view'][]
  getPhone: (id: string) => T['phone_view']
  changePhone: (id: string, change: T['phone_change']) => T['phone_view']
  /** The app gets a new token, and the old one is no longer registered. */
  renewToken: (id: string) => T['phone_view']
  setFaults: (faults: T['faults']) => T['faults']
  getFaults: () => T['faults']
  /** Members that are left out are unchanged. */
  setQuotas: (quotas: T['quotas']) => Required<T['quotas']>
  getQuotas: () => Required<T['quotas']>
  /** Returns every message that was accepted. */
  truth: () => Truth
  /** Deletes accepted messages, inboxes and requests. Phones and keys remain. */
  clear: () => void
  /** Returns the last thousand requests, oldest first, without those of the control interface. */
  requests: () => readonly T['request_record'][]
  traffic: () => Traffic
}

/** A phone as the control interface shows it. */
export type PushView<Phone extends PushPhone> = Omit<Phone, 'inbox' | 'minute'> & InboxView

export type PushEmulator<Control> = {
  /** `https://127.0.0.1:5500`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /** The certificate authority in PEM. */
  readonly ca: string
  /** The control interface, without HTTP. */
  readonly control: Control
  close: () => Promise<void>
}

export type PushEmulatorOptions = {
  readonly authority: Identity
  /** 0 takes a free one. */
  readonly port?: number
  readonly host?: string
  readonly now?: () => Date
}

type PushPhone = { readonly id: string; token: string; readonly inbox: Inbox }

type PushCore<T extends PushTypes, Phone extends PushPhone> = {
  readonly phones: Map<string, Phone>
  readonly by_token: Map<string, Phone>
  readonly ledger: Ledger
  readonly faults: { get: () => T['faults']; set: (faults: T['faults']) => void }
  readonly requests: RingBuffer<T['request_record']>
  readonly traffic: () => Traffic
}

type PushProvider<T extends PushTypes, Phone extends PushPhone> = {
  createPhone: (request: T['phone_request']) => Phone
  changePhone: (phone: Phone, change: T['phone_change']) => void
  createToken: () => string
  retireToken: (token: string) => void
  viewOf: (phone: Phone) => T['phone_view']
}

const LIST_MAX = 1_000

export function createPushControl<T extends PushTypes, Phone extends PushPhone>(
  core: PushCore<T, Phone>,
  { createPhone, changePhone, createToken, retireToken, viewOf }: PushProvider<T, Phone>,
): Omit<PushControl<T>, 'setQuotas' | 'getQuotas'> {
  const { phones, by_token, faults } = core
  const addPhone = (request: T['phone_request'] = {}): Phone => {
    const phone = createPhone(request)
    phones.set(phone.id, phone)
    by_token.set(phone.token, phone)
    return phone
  }
  const getPhone = (id: string): Phone => {
    const phone = phones.get(id) ?? by_token.get(id)
    if (phone === undefined) throw new ApiError('NOT_FOUND', `There is no phone ${id}`)
    return phone
  }
  return {
    makePhone: (request) => viewOf(addPhone(request)),
    makePhones: (count, request) => Array.from({ length: count }, () => addPhone(request).token),
    listPhones: (limit = LIST_MAX) => [...phones.values()].slice(-limit).map(viewOf),
    getPhone: (id) => viewOf(getPhone(id)),
    changePhone: (id, change) => {
      const phone = getPhone(id)
      changePhone(phone, structuredClone(change))
      return viewOf(phone)
    },
    renewToken: (id) => {
      const phone = getPhone(id)
      retireToken(phone.token)
      by_token.delete(phone.token)
      phone.token = createToken()
      by_token.set(phone.token, phone)
      return viewOf(phone)
    },
    setFaults: (next) => {
      faults.set(next)
      return next
    },
    getFaults: faults.get,
    truth: core.ledger.truth,
    clear: () => {
      core.ledger.clear()
      core.requests.clear()
      for (const { inbox } of phones.values()) emptyInbox(inbox)
    },
    requests: core.requests.list,
    traffic: core.traffic,
  }
}

type Readers<T extends PushTypes> = {
  readonly phone: (value: unknown) => T['phone_request']
  readonly bulk: (value: unknown) => T['phone_request'] & { count: number }
  readonly change: (value: unknown) => T['phone_change']
  readonly faults: (value: unknown) => T['faults']
  readonly quotas: (value: unknown) => T['quotas']
}

/** @param read validation of the bodies */
export function pushControlRoutes<T extends PushTypes>(
  read: Readers<T>,
): ControlRoute<PushControl<T>>[] {
  const route = controlRoute<PushControl<T>>
  return [
    route('POST phones', (control, { body }) => control.makePhone(read.phone(body))),
    route('POST phones/bulk', (control, { body }) => {
      const { count, ...phone } = read.bulk(body)
      return { tokens: control.makePhones(count, phone) }
    }),
    route('GET phones', (control, { query }) => {
      const limit = query.get('limit')
      return { phones: control.listPhones(limit === null ? undefined : Number(limit) || 1) }
    }),
    route('GET phones/{}', (control, { id }) => control.getPhone(id)),
    route('PATCH phones/{}', (control, { id, body }) => control.changePhone(id, read.change(body))),
    route('POST phones/{}/token', (control, { id }) => control.renewToken(id)),
    route('GET faults', (control) => control.getFaults()),
    route('PUT faults', (control, { body }) => control.setFaults(read.faults(body))),
    route('GET quotas', (control) => control.getQuotas()),
    route('PATCH quotas', (control, { body }) => control.setQuotas(read.quotas(body))),
    route('GET truth', (control) => control.truth()),
    route('DELETE truth', (control) => control.clear()),
    route('GET requests', (control) => ({ requests: control.requests() })),
    route('GET traffic', (control) => control.traffic()),
  ]
}

export function answerControl<Control>(
  routes: readonly ControlRoute<Control>[],
  control: Control,
  { method, path, body }: WireRequest,
): WireReply {
  try {
    return jsonReply(
      200,
      callControl(routes, control, { method, path, body: body.toString('utf8') }),
    )
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, body: failure } = errorReply(error)
    return jsonReply(status, failure)
  }
}
