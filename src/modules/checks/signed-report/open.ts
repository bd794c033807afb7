/**
 * Opens the report in the `device` of a check: finds the public key, verifies the report, and replaces it by what
 * is stored of it.
 */
import { createBatcher } from '../../../platform/batch.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { listPublicKeyHashes, type PublicKeyQuery } from '../../keys/index.ts'
import type { Evidence } from '../../risk/index.ts'
import { fingerprintOf } from '../device.ts'
import type { CheckRequest } from '../schema.ts'
import { assessReport } from './assess.ts'
import type { SignedReport } from './facts.ts'
import { isReport, parseReport, type Verdict, verifyReport } from './verify.ts'

export type OpenedDevice = {
  /** The request with what is stored in place of the report. */
  request: CheckRequest
  /** Undefined unless the report is valid. */
  report: SignedReport | undefined
  evidence: readonly Evidence[]
}

export type OpenDevice = (owner: Owner, request: CheckRequest, now: Date) => Promise<OpenedDevice>

const KEYS_PER_READ_MAX = 500

/** A key that is revoked verifies nothing from then on, because keys are not cached. */
export function createOpenDevice(directory: Database, lifetimeMinutes: number): OpenDevice {
  const keys = createBatcher<PublicKeyQuery, Buffer[]>({
    run: async (queries) => await listPublicKeyHashes(directory, queries),
    items_max: KEYS_PER_READ_MAX,
    batches_in_flight_max: 2,
  })
  return async ({ org_id, mode }, request, now) => {
    const text = request.device?.['signed_report']
    if (!isReport(text)) return { request, report: undefined, evidence: [] }
    const claimed = parseReport(text)
    let verdict: Verdict | { state: 'unreadable' } = { state: 'unreadable' }
    if (claimed !== undefined) {
      const { key_hint } = claimed
      const hashes = await keys.submit({ org_id, type: `${mode}_public`, key_hint, now })
      verdict = verifyReport(claimed, hashes, now, lifetimeMinutes)
    }
    const report = verdict.state === 'valid' ? verdict.report : undefined
    return {
      request: { ...request, device: stored(request.device, verdict.state, report) },
      report,
      evidence: assessReport(verdict.state, report?.device, fingerprintOf(request.device)),
    }
  }
}

/** The text of a report could be sent again, so it is not stored. */
function stored(
  device: CheckRequest['device'],
  state: string,
  report: SignedReport | undefined,
): Record<string, unknown> {
  const fingerprint = report?.device.fingerprint_hash
  return {
    ...device,
    ...(fingerprint !== undefined && { fingerprint_hash: fingerprint }),
    signed_report: { state, ...report },
  }
}
