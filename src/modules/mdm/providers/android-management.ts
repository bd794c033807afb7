/**
 * The Android Management API over REST, with Pub/Sub for its notifications
 * (https://developers.google.com/android/management/reference/rest).
 */
import { isObject } from '../../../platform/is-object.ts'
import { definite, unavailable } from './faults.ts'
import { createGoogle, type Google, type GoogleCall, type GoogleOptions, pathOf } from './google.ts'
import { createdAt } from './messages.ts'
import type {
  AndroidManagement,
  Answer,
  WireDevice,
  WireEnrollmentToken,
  WireOperation,
} from './port.ts'
import { createPubSub, type Preparation, type PubSubNames } from './pubsub.ts'

export type AndroidManagementOptions = GoogleOptions & {
  /** `projects/…/topics/…`. `namesIn` has the defaults of both names. */
  topic?: string | undefined
  subscription?: string | undefined
  /** The operator's own subscription pushes notifications, so none is created or pulled. */
  is_pushed?: boolean | undefined
}

/** The port, extended by the steps that connect an installation. */
export type GoogleAndroidManagement = AndroidManagement & {
  /** Creates topic, subscription and the right to publish. Steps that fail are part of the result. */
  prepareNotifications(): Promise<Answer<Preparation & { names: PubSubNames }>>
}

const DEFAULT_NAME = 'vigil-android'
const NOTIFICATION_TYPES = ['ENROLLMENT', 'STATUS_REPORT', 'COMMAND']
const PAGE_SIZE = '100'
/** Clients send the name of a sign-up back, and its length is limited there. */
const NAME_MAX_CHARS = 512
/** Pages of operations per device; Google retains operations for a limited time. */
const OPERATION_PAGES_MAX = 20
/** Enough for a page of a hundred devices with many violations each. */
const LIST_MAX_BYTES = 16_777_216

/** Only the members of the port are requested; application reports alone would be megabytes. */
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
  const api = createApi(google.request)

  const projectId = async (): Promise<Answer<string>> =>
    mapped(await google.connection(), ({ account }) => account.project_id)
  const names = async () => mapped(await projectId(), (id) => namesIn(id, options))
  const prepareNotifications = async () =>
    await after(await names(), async (used) => {
      return { ok: true, value: { ...(await pubsub.prepare(used)), names: used } }
    })

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
        // Without permission to create the topic, it may exist already; any other fault is final.
        const fault = preparation.faults.find(({ kind }) => kind !== 'refused')
        if (preparation.topic === 'failed' && fault) return { ok: false, fault }
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
      // An unmodified policy is answered without its version.
      const result = answer.ok && isUnmodified(answer.value) ? await api('GET', name) : answer
      return mapped(shaped(result, hasVersion), ({ version }) => ({ version: Number(version) }))
    },
    createEnrollmentToken: async (enterprise, token) =>
      shaped(await api('POST', `${enterprise}/enrollmentTokens`, { body: token }), isToken),
    deleteEnrollmentToken: async (name) => await api('DELETE', name),
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
    pull: async (max, signal) =>
      await after(await names(), async ({ subscription }) =>
        subscription === undefined ? NOTHING : await pubsub.pull(subscription, max, signal),
      ),
    acknowledge: async (ackIds) =>
      await after(await names(), async ({ subscription }) =>
        subscription === undefined ? NOTHING : await pubsub.acknowledge(subscription, ackIds),
      ),
    modifyAckDeadline: async (ackIds, seconds) =>
      await after(await names(), async ({ subscription }) =>
        subscription === undefined
          ? NOTHING
          : await pubsub.modifyAckDeadline(subscription, ackIds, seconds),
      ),
  }
}

const NOTHING: { ok: true; value: never[] } = { ok: true, value: [] }

type Body = Record<string, unknown>
type Options = Pick<GoogleCall, 'query' | 'body' | 'secrets' | 'max_bytes'>
type Api = (verb: GoogleCall['verb'], name: string, options?: Options) => Promise<Answer<Body>>

/** @returns a function that calls resources by name and answers `UNMODIFIED` for status 304 */
function createApi(request: Google['request']): Api {
  return async (verb, name, options = {}) => {
    const [, resource = name, method = ''] = /^(.*?)(:[A-Za-z]+)?$/.exec(name) ?? []
    const path = pathOf(resource)
    if (path === undefined) return { ok: false, fault: INVALID_NAME }
    const answer = await request({ verb, at: 'api_url', path: `${path}${method}`, ...options })
    return mapped(answer, ({ status, body }) => (status === 304 ? UNMODIFIED : body))
  }
}

const UNMODIFIED: Body = {}
const isUnmodified = (body: Body): boolean => body === UNMODIFIED

const INVALID_NAME = definite('rejected', 'This is not a valid name of a resource at Google.')

/** Returns all operations or a fault: a command whose operation is missing would be sent again. */
async function listOperations(api: Api, device: string): Promise<Answer<WireOperation[]>> {
  const operations: WireOperation[] = []
  let pageToken: string | undefined
  for (let page = 0; page < OPERATION_PAGES_MAX; page += 1) {
    const query = { pageSize: PAGE_SIZE, ...(pageToken !== undefined && { pageToken }) }
    const max_bytes = LIST_MAX_BYTES
    const answer = await api('GET', `${device}/operations`, { query, max_bytes })
    if (!answer.ok) return answer
    operations.push(...listIn(answer.value, 'operations').map(asOperation))
    pageToken = nextPage(answer.value).nextPageToken
    if (pageToken === undefined) return { ok: true, value: operations.toSorted(newestFirst) }
  }
  return { ok: false, fault: unavailable(TOO_MANY_OPERATIONS, false) }
}

/** The order of the pages is not documented, so any operation may be on one that is not read. */
const TOO_MANY_OPERATIONS = 'Google has more operations of this device than can be read.'

const newestFirst = (a: WireOperation, b: WireOperation): number => createdAt(b) - createdAt(a)

/** Checks only that it is an object; the members are checked where they are read. */
const asDevice = (body: Body): WireDevice => body
function asOperation(body: Body): WireOperation {
  const { metadata, error, ...rest } = body
  return { ...rest, ...(isObject(metadata) && { metadata }), ...(isObject(error) && { error }) }
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

/** A text that PostgreSQL can store. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()

const isNamed = (body: Body): body is { name: string } => isText(body['name'])
const isEnterprise = (body: Body): body is { name: string } =>
  isNamed(body) && /^enterprises\/[^/\s]{1,128}$/.test(body.name)
const isSignupUrl = (body: Body): body is { name: string; url: string } =>
  isText(body['url']) && isText(body['name']) && body['name'].length <= NAME_MAX_CHARS
const hasVersion = (body: Body): body is { version: string | number } => {
  const { version } = body
  const isPresent = typeof version === 'string' || typeof version === 'number'
  return isPresent && /^\d{1,15}$/.test(String(version))
}
const isToken = (body: Body): body is WireEnrollmentToken =>
  ['name', 'value', 'qrCode'].every((member) => isText(body[member])) &&
  isInstant(body['expirationTimestamp'])
/** Later years have five digits, which PostgreSQL rejects in this format. */
const isInstant = (value: unknown): boolean =>
  isText(value) && Date.parse(value) < Date.UTC(10_000, 0)

/** An answer without the required members is a fault, but the request may have been carried out. */
function shaped<T>(answer: Answer<Body>, isShaped: (body: Body) => body is Body & T): Answer<T> {
  if (!answer.ok) return answer
  if (isShaped(answer.value)) return { ok: true, value: answer.value }
  return {
    ok: false,
    fault: unavailable('Google gave an answer without the required members.', true),
  }
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
