/** The control of the FCM emulator, for tests and operators: in process, and below `/control/`. */
import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto'
import { type ControlRoute, controlRoute, type RequestRecord } from '../control-routes.ts'
import { invalid } from '../google-errors.ts'
import { createServiceAccount, type ServiceAccount } from '../google-oauth.ts'
import {
  createPushControl,
  type PushControl,
  type PushView,
  pushControlRoutes,
} from '../push-control.ts'
import { createInbox, viewInbox } from '../push-ledger.ts'
import {
  type FcmFaults,
  type FcmPhoneChange,
  type FcmPhoneRequest,
  type FcmQuotas,
  read,
} from './control-schema.ts'
import type { Core, Phone } from './core.ts'

type FcmTypes = {
  phone_request: FcmPhoneRequest
  phone_change: FcmPhoneChange
  phone_view: PushView<Phone>
  faults: FcmFaults
  quotas: FcmQuotas
  request_record: RequestRecord
}

/** After `renewToken`, the old token is UNREGISTERED. */
export type FcmControl = PushControl<FcmTypes> & {
  /** Returns the key file of a project, and creates it on first use. */
  serviceAccount: (projectId?: string) => ServiceAccount
  /** Adds an account from elsewhere, for example from before a restart of the emulator. */
  addServiceAccount: (account: ServiceAccount) => void
  /** Invalidates all issued access tokens: they are UNAUTHENTICATED. */
  expireTokens: () => void
}

const PROJECT_ID = 'vigil-emulator'
const PACKAGE_NAME = 'com.example.app'

export function createControl(core: Core): FcmControl {
  const { oauth, quota } = core
  const quotas = (): Required<FcmQuotas> => ({
    messages_per_minute: quota.messages_per_minute,
    streams_max: quota.streams_max,
  })
  return {
    ...createPushControl<FcmTypes, Phone>(core, {
      createPhone,
      changePhone: Object.assign,
      createToken,
      retireToken: () => undefined,
      viewOf: ({ inbox, ...phone }) => ({ ...phone, ...viewInbox(inbox) }),
    }),
    serviceAccount: (projectId = PROJECT_ID) => {
      const known = oauth.find(projectId)
      if (known !== undefined) return known
      const created = createServiceAccount(projectId, `${core.url()}/token`)
      oauth.add(created)
      return created
    },
    addServiceAccount: (account) => {
      if (!isPrivateKey(account.private_key)) throw invalid('private_key is not a key')
      oauth.add(account)
    },
    setQuotas: (next) => {
      Object.assign(quota, next)
      quota.used.clear()
      if (next.streams_max !== undefined) core.allowStreams(next.streams_max)
      return quotas()
    },
    getQuotas: quotas,
    expireTokens: oauth.expireAll,
  }
}

const route = controlRoute<FcmControl>

export const CONTROL_ROUTES: readonly ControlRoute<FcmControl>[] = [
  route('GET service-account', (control, { query }) => {
    const project_id = query.get('project_id')
    return control.serviceAccount(
      read.project(project_id === null ? {} : { project_id }).project_id,
    )
  }),
  route('POST service-accounts', (control, { body }) => {
    control.addServiceAccount(read.account(body))
  }),
  route('POST expire-tokens', (control) => control.expireTokens()),
  ...pushControlRoutes<FcmTypes>(read),
]

const createPhone = ({ project_id, package_name, token }: FcmPhoneRequest): Phone => ({
  id: randomUUID(),
  project_id: project_id ?? PROJECT_ID,
  package_name: package_name ?? PACKAGE_NAME,
  token: token ?? createToken(),
  is_registered: true,
  denial: null,
  inbox: createInbox(),
})

/** An installation id, a colon, and a part that always begins with the same characters. */
const createToken = (): string =>
  `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(96).toString('base64url')}`

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
