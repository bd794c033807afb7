/** The control of the emulator in process, for tests; `control-routes.ts` offers it over HTTP. */
import type { RequestRecord } from '../control-routes.ts'
import { ApiError, found } from '../google-errors.ts'
import type { ServiceAccount } from '../google-oauth.ts'
import type { Bulk, BulkProgress } from './bulk.ts'
import type {
  BulkRequest,
  ClockRequest,
  CommandFailure,
  EnrollRequest,
  Faults,
  PhoneChange,
  Repair,
  SignupRequest,
  Violation,
} from './control-schema.ts'
import { enterpriseView, type PhoneView, phoneView, truthOf } from './control-views.ts'
import { type Core, idOf } from './core.ts'
import { enroll } from './enrollment.ts'
import { completeSignup } from './enterprises.ts'
import type { FaultSource } from './faults.ts'
import { serviceAccountOf } from './oauth.ts'
import { expireOperations } from './operations.ts'
import {
  applyPolicyAndState,
  detach,
  detachIfDeleted,
  executeCommand,
  findEnrolled,
  report,
} from './phones.ts'
import type { Broker } from './pubsub.ts'
import type { NonComplianceDetail, Operation } from './resources.ts'
import type { Phone } from './state.ts'

/**
 * Phones are identified by their id or the id of their device. Operations that are not possible throw.
 */
export type AndroidControl = {
  serviceAccount: () => ServiceAccount
  /** Completes a sign-up without a browser. @param id with or without `signupUrls/` */
  completeSignup: (id: string, options?: SignupRequest) => { redirect_url: string }
  listEnterprises: () => ReturnType<typeof enterpriseView>[]
  enrollPhone: (request: EnrollRequest) => PhoneView
  startBulk: (request: BulkRequest) => BulkProgress
  bulkProgress: () => BulkProgress
  /**
   * @param filter `enterprise` with or without `enterprises/`; `limit` is the number of phones, of
   *   which the newest are returned, default all
   */
  listPhones: (filter?: { enterprise?: string | undefined; limit?: number }) => PhoneView[]
  getPhone: (id: string) => PhoneView
  changePhone: (id: string, change: PhoneChange) => PhoneView
  report: (id: string) => PhoneView
  /** Breaks a setting of the policy and reports it. */
  violate: (id: string, violation: Violation) => PhoneView
  /** Repairs a setting of the policy, or all settings, and reports it. */
  repair: (id: string, repair?: Repair) => PhoneView
  /** @param operationId id or full name of the operation */
  acknowledgeCommand: (id: string, operationId: string) => Operation
  failCommand: (id: string, operationId: string, failure: CommandFailure) => Operation
  /** The user resets the phone, which the server does not notice. */
  resetPhone: (id: string) => PhoneView
  applyPolicy: (id: string) => PhoneView
  setFaults: (faults: Faults) => Faults
  getFaults: () => Faults
  advanceClock: (request: ClockRequest) => { now: string }
  truth: () => ReturnType<typeof truthOf>
  /** Returns the last thousand requests, oldest first, without those of the control interface. */
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
    completeSignup: (id, { display_name } = {}) => ({
      redirect_url: completeSignup(core, idOf(id), display_name),
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

function phoneControl(core: Core) {
  const view = (phone: Phone): PhoneView => phoneView(core, phone)
  /** Sends a report after the change. A phone whose device was deleted is detached instead. */
  const changeAndReport = (id: string, change: (phone: Phone) => unknown): PhoneView => {
    const phone = getConnected(core, id)
    if (!detachIfDeleted(core, phone)) {
      change(phone)
      report(core, phone)
    }
    return view(phone)
  }
  return {
    enrollPhone: (request) => view(enroll(core, request)),
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
    report: (id) => changeAndReport(id, () => undefined),
    violate: (id, violation) =>
      changeAndReport(id, (phone) => {
        const others = phone.violations.filter((detail) => !isSame(detail, violation))
        phone.violations = [...others, detailOf(violation)]
      }),
    repair: (id, { setting_name } = {}) =>
      changeAndReport(id, (phone) => {
        phone.violations = phone.violations.filter(
          ({ settingName }) => setting_name !== undefined && settingName !== setting_name,
        )
      }),
    acknowledgeCommand: (id, operationId) => answerCommand(core, id, operationId),
    failCommand: (id, operationId, failure) => answerCommand(core, id, operationId, failure),
    resetPhone: (id) => {
      const phone = getPhone(core, id)
      detach(core, phone)
      return view(phone)
    },
    applyPolicy: (id) => changeAndReport(id, (phone) => applyPolicyAndState(core, phone)),
  } satisfies Partial<AndroidControl>
}

const getPhone = ({ state }: Core, id: string): Phone =>
  found(state.phones.get(id) ?? state.phones.get(state.phones_of_devices.get(idOf(id)) ?? ''))

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
  failure?: CommandFailure,
): Operation {
  const phone = getConnected(core, id)
  expireOperations(core)
  const name = findEnrolled(core, phone)?.device.pending.find(
    (pending) => idOf(pending) === idOf(operationId),
  )
  const operation = found(core.state.operations.get(name ?? ''))
  return executeCommand(core, phone, operation, failure?.error_code)
}

const isSame = (detail: NonComplianceDetail, violation: Violation): boolean =>
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
