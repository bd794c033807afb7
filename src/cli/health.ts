/** `vigil health`: whether the services of this host and data directory work, for container runtimes. */
import { chooseDataDir } from '../app/data-dir.ts'
import { readConfig } from '../config.ts'
import { responds } from '../platform/net/responds.ts'
import { CommandError, type Io } from './io.ts'
import { findServices, type ServiceMark } from './service-mark.ts'

const TIMEOUT_MS = 2000
/** Several beats, because a busy process can delay one. */
const AGE_MAX_MS = 30_000

/** @throws CommandError if no service runs or one does not respond */
export async function checkHealth(io: Io): Promise<void> {
  const { data_dir } = readConfig(io.environment)
  const folder = chooseDataDir(data_dir, io.working_folder)
  const services = findServices(folder)
  if (services.length === 0) throw new CommandError(`No service is ready in ${folder}`)
  for (const service of services) {
    const fault = await faultOf(service)
    if (fault !== undefined) {
      throw new CommandError(`The service with the role ${service.role} ${fault}`)
    }
  }
  for (const { role, pid } of services) io.stdout(`${role} (PID ${pid}): healthy`)
}

async function faultOf({
  url,
  age_ms,
}: ServiceMark & { age_ms: number }): Promise<string | undefined> {
  if (age_ms > AGE_MAX_MS) return `has not responded for ${Math.round(age_ms / 1000)} s`
  if (url === undefined) return undefined
  // Not /readyz: a restart of the container would not bring the database back.
  const isUp = await responds(new URL('/healthz', url), TIMEOUT_MS)
  return isUp ? undefined : `does not respond at ${url}`
}
