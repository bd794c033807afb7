/**
 * The Android Management API over REST, with Pub/Sub for its notifications
 * (https://developers.google.com/android/management/reference/rest).
 */
import { createGoogle, type GoogleCall, type GoogleOptions, pathOf } from './google.ts'
import type {
  AndroidManagement,
  Answer,
  ProviderFault,
  WireDevice,
  WireEnrollmentToken,
  WireOperation,
} from './port.ts'
import { createPubSub, type Preparation, type PubSub, type PubSubNames } from './pubsub.ts'

export type AndroidManagementOptions = GoogleOptions & {
  /** `projects/…/topics/…`; that of {@link namesIn} when left out. */
  topic?: string | undefined
  subscription?: string | undefined
  /** Notifications are pushed by a subscription of the operator's: none is made, and none pulled. */
  is_pushed?: boolean | undefined
}

/** The port, and what connects an installation. */
export type GoogleAndroidManagement = AndroidManagement & {
  /** Topic, subscription and the right to publish; what the account may not do is told, not thrown. */
  prepareNotifications(): Promise<Answer<Preparation & { names: PubSubNames }>>
}

const DEFAULT_NAME = 'vigil-android'
const NOTIFICATION_TYPES = ['ENROLLMENT', 'STATUS_REPORT', 'COMMAND']
const PAGE_SIZE = '100'
/** Of what is given back to us later. */
const NAME_MAX_CHARS = 512
/** Of operations of one device; Google keeps them for a limited time. */
const OPERATION_PAGES_MAX = 20
/** A device reports many violations at the most, a hundred devices a page. */
const LIST_MAX_BYTES = 16_777_216

/** What the port names: reports of applications alone would be megabytes. */
const DEVICE_FIELDS = [
  'name',
  'userName',
  'managementMode',
  'ownership',
  'state',
  'appliedState',
  'policyName',
  'appliedPolicyName',
  'appliedPolicyVersion',
  'policyCompliant',
  'nonComplianceDetails(settingName,nonComplianceReason,packageName,fieldPath,installationFailureReason,specificNonComplianceReason)',
  'enrollmentTime',
  'lastStatusReportTime',
  'lastPolicySyncTime',
  'enrollmentTokenName',
  'enrollmentTokenData',
  'previousDeviceNames',
  'apiLevel',
  'hardwareInfo(brand,model,manufacturer,serialNumber,enterpriseSpecificId)',
  'softwareInfo(androidVersion,securityPatchLevel)',
].join(',')

export const namesIn = (
  projectId: string,
  { topic, subscription, is_pushed }: Omit<AndroidManagementOptions, keyof GoogleOptions>,
): PubSubNames => ({
  topic: topic ?? `projects/${projectId}/topics/${DEFAULT_NAME}`,
  subscription: is_pushed
    ? undefined
    : (subscription ?? `projects/${projectId}/subscriptions/${DEFAULT_NAME}`),
})

export function createAndroidManagement(
  options: AndroidManagementOptions,
): GoogleAndroidManagement {
  const google = createGoogle(options)
  const pubsub = createPubSub(google)
  const api = createApi(google.ask)

  const projectId = async (): Promise<Answer<string>> =>
    mapped(await google.connected(), ({ account }) => account.project_id)
  const names = async () => mapped(await projectId(), (id) => namesIn(id, options))
  const prepareNotifications = async () =>
    await after(await names(), async (given) => await preparedAs(pubsub, given))

  return {
    projectId,
    prepareNotifications,
    createSignupUrl: async (callbackUrl) =>
      await after(await projectId(), async (id) => {
        const query = { projectId: id, callbackUrl }
        const answer = await api('POST', 'signupUrls', { query })
        return shaped(answer, isSignupUrl)
      }),
    createEnterprise: async ({ signup_url_name, enterprise_token }) =>
      await after(await prepareNotifications(), async ({ names: { topic }, ...preparation }) => {
        const away = preparation.faults.find(({ kind }) => kind !== 'refused')
        if (preparation.topic === 'failed' && away) return { ok: false, fault: away }
        const id = await projectId()
        if (!id.ok) return id
        const answer = await api('POST', 'enterprises', {
          query: {
            projectId: id.value,
            signupUrlName: signup_url_name,
            enterpriseToken: enterprise_token,
          },
          body: { pubsubTopic: topic, enabledNotificationTypes: NOTIFICATION_TYPES },
          secrets: [enterprise_token],
        })
        return mapped(shaped(answer, isEnterprise), asEnterprise)
      }),
    patchPolicy: async (name, policy) => {
      const answer = await api('PATCH', name, { body: policy })
      // Nothing was modified, and nothing is told about what is there.
      const told = answer.ok && isUnmodified(answer.value) ? await api('GET', name) : answer
      return mapped(shaped(told, hasVersion), ({ version }) => ({ version: Number(version) }))
    },
    createEnrollmentToken: async (enterprise, token) =>
      shaped(await api('POST', `${enterprise}/enrollmentTokens`, { body: token }), isToken),
    ...devicesOf(api),
    pull: async (max, signal) =>
      await after(await names(), async ({ subscription }) =>
        subscription === undefined ? NOTHING : await pubsub.pull(subscription, max, signal),
      ),
    acknowledge: async (ackIds) =>
      await after(await names(), async ({ subscription }) =>
        subscription === undefined ? NOTHING : await pubsub.acknowledge(subscription, ackIds),
      ),
  }
}

const NOTHING: { ok: true; value: never[] } = { ok: true, value: [] }

async function preparedAs(
  pubsub: PubSub,
  names: PubSubNames,
): Promise<Answer<Preparation & { names: PubSubNames }>> {
  return { ok: true, value: { ...(await pubsub.prepare(names)), names } }
}

type Body = Record<string, unknown>
type More = Pick<GoogleCall, 'query' | 'body' | 'secrets' | 'max_bytes'>
type Api = (verb: GoogleCall['verb'], name: string, more?: More) => Promise<Answer<Body>>

/** @returns calls of resources by their names; one that modified nothing has an empty body */
function createApi(
  ask: (call: GoogleCall) => ReturnType<ReturnType<typeof createGoogle>['ask']>,
): Api {
  return async (verb, name, more = {}) => {
    const [, resource = name, method = ''] = /^(.*?)(:[A-Za-z]+)?$/.exec(name) ?? []
    const path = pathOf(resource)
    if (path === undefined) return { ok: false, fault: NO_NAME }
    const answer = await ask({ verb, at: 'api_url', path: `${path}${method}`, ...more })
    return mapped(answer, ({ status, body }) => (status === 304 ? UNMODIFIED : body))
  }
}

const UNMODIFIED: Body = {}
const isUnmodified = (body: Body): boolean => body === UNMODIFIED

const NO_NAME: ProviderFault = {
  kind: 'rejected',
  message: 'This is not a name that Google gives.',
  is_ambiguous: false,
}

function devicesOf(
  api: Api,
): Pick<
  AndroidManagement,
  | 'getDevice'
  | 'listDevices'
  | 'assignPolicy'
  | 'deleteDevice'
  | 'issueCommand'
  | 'getOperation'
  | 'listOperations'
> {
  return {
    getDevice: async (name) =>
      mapped(await api('GET', name, { query: { fields: DEVICE_FIELDS } }), asDevice),
    listDevices: async (enterprise, pageToken) => {
      const fields = `nextPageToken,devices(${DEVICE_FIELDS})`
      const answer = await api('GET', `${enterprise}/devices`, {
        query: { pageSize: PAGE_SIZE, fields, ...(pageToken !== undefined && { pageToken }) },
        max_bytes: LIST_MAX_BYTES,
      })
      return mapped(answer, (body) => ({
        devices: listIn(body, 'devices').map(asDevice),
        ...nextPage(body),
      }))
    },
    assignPolicy: async (device, policyName) =>
      await api('PATCH', device, { query: { updateMask: 'policyName' }, body: { policyName } }),
    deleteDevice: async (name) => await api('DELETE', name),
    issueCommand: async (device, command) => {
      const secrets = [command.newPassword ?? '']
      const answer = await api('POST', `${device}:issueCommand`, { body: command, secrets })
      return mapped(shaped(answer, isNamed), asOperation)
    },
    getOperation: async (name) => mapped(await api('GET', name), asOperation),
    listOperations: async (device) => await listOperations(api, device),
  }
}

/** All of them: of one that is missing nobody would know that it was issued. */
async function listOperations(api: Api, device: string): Promise<Answer<WireOperation[]>> {
  const operations: WireOperation[] = []
  let next: { nextPageToken?: string } = {}
  for (let page = 0; page < OPERATION_PAGES_MAX; page += 1) {
    const query = {
      pageSize: PAGE_SIZE,
      ...(next.nextPageToken !== undefined && { pageToken: next.nextPageToken }),
    }
    const max_bytes = LIST_MAX_BYTES
    const answer = await api('GET', `${device}/operations`, { query, max_bytes })
    if (!answer.ok) return answer
    operations.push(...listIn(answer.value, 'operations').map(asOperation))
    next = nextPage(answer.value)
    if (next.nextPageToken === undefined) {
      return { ok: true, value: operations.toSorted(newestFirst) }
    }
  }
  return { ok: false, fault: TOO_MANY_OPERATIONS }
}

/** In which order they come is not documented: any of them may be among those that are not read. */
const TOO_MANY_OPERATIONS: ProviderFault = {
  kind: 'unavailable',
  message: 'Google has more operations of this device than are read.',
  is_ambiguous: false,
}

const newestFirst = (a: WireOperation, b: WireOperation): number => createdAt(b) - createdAt(a)

function createdAt({ metadata }: WireOperation): number {
  const at = isText(metadata?.createTime) ? Date.parse(metadata.createTime) : 0
  return Number.isNaN(at) ? 0 : at
}

/** Only that it is an object; whoever reads its members takes none of them for granted. */
const asDevice = (body: Body): WireDevice => body
function asOperation(body: Body): WireOperation {
  const { metadata, error, ...rest } = body
  return {
    ...rest,
    ...(isObject(metadata) && { metadata }),
    ...(isObject(error) && { error }),
  }
}

const asEnterprise = ({ name, enterpriseDisplayName: label }: Body & { name: string }) => ({
  name,
  ...(isText(label) && { enterpriseDisplayName: label }),
})

const nextPage = ({ nextPageToken }: Body): { nextPageToken?: string } =>
  typeof nextPageToken === 'string' && nextPageToken !== '' ? { nextPageToken } : {}

const listIn = (body: Body, member: string): Body[] => {
  const list = body[member]
  return Array.isArray(list) ? list.filter(isObject) : []
}

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One that the database can store. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()

const isNamed = (body: Body): body is { name: string } => isText(body['name'])
const isEnterprise = (body: Body): body is { name: string } =>
  isNamed(body) && /^enterprises\/[^/\s]{1,128}$/.test(body.name)
const isSignupUrl = (body: Body): body is { name: string; url: string } =>
  isText(body['url']) && isText(body['name']) && body['name'].length <= NAME_MAX_CHARS
const hasVersion = (body: Body): body is { version: string | number } => {
  const { version } = body
  const isTold = typeof version === 'string' || typeof version === 'number'
  return isTold && /^\d{1,15}$/.test(String(version))
}
const isToken = (body: Body): body is WireEnrollmentToken =>
  ['name', 'value', 'qrCode'].every((member) => isText(body[member])) &&
  isInstant(body['expirationTimestamp'])
/** Later ones have more digits in their year, which the database does not take. */
const isInstant = (value: unknown): boolean =>
  isText(value) && Date.parse(value) < Date.UTC(10_000, 0)

/** An answer that lacks what cannot be done without is none; the request may have been carried out. */
function shaped<T>(answer: Answer<Body>, isShaped: (body: Body) => body is Body & T): Answer<T> {
  if (!answer.ok) return answer
  if (isShaped(answer.value)) return { ok: true, value: answer.value }
  const message = 'Google gave an answer that lacks what it must have.'
  return { ok: false, fault: { kind: 'unavailable', message, is_ambiguous: true } }
}

function mapped<T, U>(answer: Answer<T>, map: (value: T) => U): Answer<U> {
  return answer.ok ? { ok: true, value: map(answer.value) } : answer
}

async function after<T, U>(
  answer: Answer<T>,
  next: (value: T) => Promise<Answer<U>>,
): Promise<Answer<U>> {
  return answer.ok ? await next(answer.value) : answer
}
