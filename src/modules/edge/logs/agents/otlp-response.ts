/**
 * Responses of OTLP/HTTP, in the encoding of the request: `ExportLogsServiceResponse`, or
 * `google.rpc.Status` for errors. https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
 */
import { PbfWriter } from 'pbf'
import type { AppError } from '../../../../platform/http/errors.ts'
import type { Receipt } from '../../../intake/index.ts'

export const PROTOBUF = 'application/x-protobuf'
const JSON_TYPE = 'application/json'

/** Canonical codes of gRPC. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 503: 14 }
const UNKNOWN_CODE = 2
const UNAVAILABLE_STATUS = 503
const UNAVAILABLE_RETRY_SECONDS = 5
const UNAVAILABLE = 'The service is unavailable at the moment; try again shortly'

export type OtlpResponse = {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

/** @param receipt undefined for a request without records */
export function otlpSuccess(isProtobuf: boolean, receipt: Receipt | undefined): OtlpResponse {
  const rejected = receipt === undefined ? 0 : receipt.received - receipt.processed
  const message = receipt?.message ?? ''
  if (!isProtobuf) {
    const partialSuccess = { rejectedLogRecords: String(rejected), errorMessage: message }
    return inJson(200, rejected === 0 ? {} : { partialSuccess })
  }
  const writer = new PbfWriter()
  if (rejected > 0) {
    const partial = new PbfWriter()
    partial.writeVarintField(1, rejected)
    partial.writeStringField(2, message)
    writer.writeBytesField(1, partial.finish())
  }
  return inProtobuf(200, writer)
}

/**
 * OTLP has clients repeat 429, 502, 503 and 504 only, so what is a 500 elsewhere is a 503 here: it is
 * temporary, and its records would be lost otherwise.
 * @param error undefined for an unexpected one
 */
export function otlpError(isProtobuf: boolean, error: AppError | undefined): OtlpResponse {
  const status = error?.status ?? UNAVAILABLE_STATUS
  const message = error?.body.message ?? UNAVAILABLE
  const retryAfter = error ? error.retry_after_seconds : UNAVAILABLE_RETRY_SECONDS
  const headers = {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(status === 401 && { 'www-authenticate': 'ApiKey realm="vigil"' }),
  }
  const code = CODES[status] ?? UNKNOWN_CODE
  if (!isProtobuf) return inJson(status, { code, message }, headers)
  const writer = new PbfWriter()
  writer.writeVarintField(1, code)
  writer.writeStringField(2, message)
  return inProtobuf(status, writer, headers)
}

const inJson = (status: number, body: object, headers = {}): OtlpResponse => ({
  status,
  headers: { ...headers, 'content-type': JSON_TYPE },
  body: JSON.stringify(body),
})

const inProtobuf = (status: number, writer: PbfWriter, headers = {}): OtlpResponse => ({
  status,
  headers: { ...headers, 'content-type': PROTOBUF },
  body: Buffer.from(writer.finish()),
})
