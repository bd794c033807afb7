/** What a test or a person does to the emulated world, as functions; `control-api.ts` has the HTTP. */

import type { ServiceAccount } from '../google-oauth.ts'
import type { Bulk, BulkProgress } from './bulk.ts'
import type {
  BulkRequest,
  ClockRequest,
  CommandFailure,
  EnrolRequest,
  Faults,
  PhoneChange,
  Repair,
  SignupRequest,
  Violation,
} from './control-schema.ts'
import {
  type EnterpriseView,
  enterpriseView,
  type PhoneView,
  phoneView,
  type Truth,
  truthOf,
} from './control-views.ts'
import { type Core, idOf } from './core.ts'
import { enrol } from './enrolment.ts'
import { completeSignup } from './enterprises.ts'
import { ApiError, notFound } from './errors.ts'
import type { FaultSource } from './faults.ts'
import { serviceAccountOf } from './oauth.ts'
import { expireOperations } from './operations.ts'
import { acknowledge, applyWanted, findEnrolled, forget, leaveIfDeleted, report } from './phones.ts'
import type { Broker } from './pubsub.ts'
import type { NonComplianceDetail, Operation } from './resources.ts'
import type { Phone } from './state.ts'

export type RequestRecord = {
  /** By the clock that can be advanced. */
  readonly at: string
  readonly method: string
  /** With query. */
  readonly path: string
  /** Null when the connection was torn down. */
  readonly status: number | null
}

/** Phones go by their id or by the id of their device. Whatever cannot be done throws. */
export type AndroidControl = {
  /** What an operator uploads. */
  serviceAccount: () => ServiceAccount
  /** Goes through a sign-up without a browser. @param id with or without `signupUrls/` */
  completeSignup: (id: string, options?: SignupRequest) => { redirect_url: string }
  listEnterprises: () => EnterpriseView[]
  enrolPhone: (request: EnrolRequest) => PhoneView
  startBulk: (request: BulkRequest) => BulkProgress
  bulkProgress: () => BulkProgress
  /** @param filter enterprise with or without `enterprises/`; `limit` newest last, all by default */
  listPhones: (filter?: { enterprise?: string | undefined; limit?: number }) => PhoneView[]
  getPhone: (id: string) => PhoneView
  changePhone: (id: string, change: PhoneChange) => PhoneView
  /** Sends a status report now. */
  report: (id: string) => PhoneView
  /** Breaks a setting of the policy and reports it. */
  violate: (id: string, violation: Violation) => PhoneView
  /** Mends a setting, or all, and reports it. */
  repair: (id: string, repair?: Repair) => PhoneView
  /** @param operationId or the full name of the operation */
  acknowledgeCommand: (id: string, operationId: string) => Operation
  failCommand: (id: string, operationId: string, failure: CommandFailure) => Operation
  /** The user resets the phone: the server does not learn of it. */
  resetPhone: (id: string) => PhoneView
  applyPolicy: (id: string) => PhoneView
  setFaults: (faults: Faults) => Faults
  getFaults: () => Faults
  advanceClock: (request: ClockRequest) => { now: string }
  truth: () => Truth
  /** The last thousand, oldest first; those of the control interface are not among them. */
  requests: () => readonly RequestRecord[]
}

export function createControl(options: {
  core: Core
  broker: Broker
  faults: FaultSource
  bulk: Bulk
  requests: readonly RequestRecord[]
}): AndroidControl {
  const { core, broker, faults, bulk, requests } = options
  return {
    ...phoneControl(core),
    serviceAccount: () => serviceAccountOf(core),
    completeSignup: (id, told = {}) => ({
      redirect_url: completeSignup(core, idOf(id), told.display_name),
    }),
    listEnterprises: () => [...core.state.enterprises.values()].map(enterpriseView),
    startBulk: bulk.start,
    bulkProgress: bulk.progress,
    setFaults: (next) => {
      faults.set(next)
      return next
    },
    getFaults: faults.get,
    advanceClock: ({ advance_seconds }) => {
      core.state.clock_offset_ms += advance_seconds * 1_000
      core.touch()
      expireOperations(core)
      broker.reclaim()
      return { now: core.now().toISOString() }
    },
    truth: () => truthOf(core),
    requests: () => requests,
  }
}

type PhoneControl = Pick<
  AndroidControl,
  | 'enrolPhone'
  | 'listPhones'
  | 'getPhone'
  | 'changePhone'
  | 'report'
  | 'violate'
  | 'repair'
  | 'acknowledgeCommand'
  | 'failCommand'
  | 'resetPhone'
  | 'applyPolicy'
>

function phoneControl(core: Core): PhoneControl {
  const view = (phone: Phone): PhoneView => phoneView(core, phone)
  return {
    enrolPhone: (request) => view(enrol(core, request)),
    listPhones: ({ enterprise, limit } = {}) => {
      const wanted = enterprise === undefined ? undefined : idOf(enterprise)
      const phones = [...core.state.phones.values()].filter(
        ({ enterprise_id }) => wanted === undefined || enterprise_id === wanted,
      )
      return phones.slice(limit === undefined ? 0 : -limit).map(view)
    },
    getPhone: (id) => view(getPhone(core, id)),
    changePhone: (id, change) => {
      const phone = Object.assign(getPhone(core, id), change)
      core.touch()
      core.wake(phone)
      return view(phone)
    },
    report: (id) => view(speak(core, id, () => undefined)),
    violate: (id, violation) =>
      view(
        speak(core, id, (phone) => {
          const others = phone.violations.filter((detail) => !isOf(detail, violation))
          phone.violations = [...others, detailOf(violation)]
        }),
      ),
    repair: (id, { setting_name } = {}) =>
      view(
        speak(core, id, (phone) => {
          phone.violations = phone.violations.filter(
            ({ settingName }) => setting_name !== undefined && settingName !== setting_name,
          )
        }),
      ),
    acknowledgeCommand: (id, operationId) => answerCommand(core, id, operationId),
    failCommand: (id, operationId, { error_code }) =>
      answerCommand(core, id, operationId, error_code),
    resetPhone: (id) => {
      const phone = getPhone(core, id)
      forget(core, phone)
      return view(phone)
    },
    applyPolicy: (id) =>
      view(
        speak(core, id, (phone) => {
          applyWanted(core, phone)
        }),
      ),
  }
}

function getPhone({ state }: Core, told: string): Phone {
  const phone =
    state.phones.get(told) ?? state.phones.get(state.phones_of_devices.get(idOf(told)) ?? '')
  if (phone === undefined) throw notFound()
  return phone
}

/** The phone changes and reports; one that hears on this occasion that it was deleted only goes. */
function speak(core: Core, id: string, change: (phone: Phone) => void): Phone {
  const phone = getConnected(core, id)
  if (leaveIfDeleted(core, phone)) return phone
  change(phone)
  report(core, phone)
  return phone
}

function getConnected(core: Core, id: string): Phone {
  const phone = getPhone(core, id)
  if (phone.device_id === null) {
    throw new ApiError('FAILED_PRECONDITION', 'The phone is not managed.')
  }
  if (phone.is_silent) {
    throw new ApiError('FAILED_PRECONDITION', 'The phone is silent: it has no connection.')
  }
  return phone
}

function answerCommand(
  core: Core,
  id: string,
  operationId: string,
  failure?: CommandFailure['error_code'],
): Operation {
  const phone = getConnected(core, id)
  expireOperations(core)
  const name = findEnrolled(core, phone)?.device.pending.find(
    (pending) => idOf(pending) === idOf(operationId),
  )
  const operation = core.state.operations.get(name ?? '')
  if (operation === undefined) throw notFound()
  return acknowledge(core, phone, operation, failure)
}

const isOf = (detail: NonComplianceDetail, violation: Violation): boolean =>
  detail.settingName === violation.setting_name &&
  detail.packageName === violation.package_name &&
  detail.fieldPath === violation.field_path

const detailOf = (violation: Violation): NonComplianceDetail => ({
  settingName: violation.setting_name,
  nonComplianceReason: violation.reason ?? 'USER_ACTION',
  ...(violation.package_name && { packageName: violation.package_name }),
  ...(violation.field_path && { fieldPath: violation.field_path }),
  ...(violation.reason === 'APP_NOT_INSTALLED' && {
    installationFailureReason: 'INSTALLATION_FAILURE_REASON_UNKNOWN',
  }),
})
