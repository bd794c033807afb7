/** From a command of ours to that of the Android Management API. Pure. */
import type { CommandRow } from '../../commands/record.ts'
import type { WireCommand } from '../../providers/port.ts'

/** Google's default is ten minutes, in which a device that is switched off takes nothing. */
const DURATION_MIN_S = 60

/**
 * https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand
 * @param given.remaining_s until the command expires
 */
export function wireCommand(
  { type, parameters }: Pick<CommandRow, 'type' | 'parameters'>,
  given: { remaining_s: number; new_password: string | undefined },
): WireCommand {
  const { package_names, reset_password_flags } = parameters
  return {
    type,
    duration: `${Math.max(DURATION_MIN_S, Math.ceil(given.remaining_s))}s`,
    ...(package_names !== undefined && {
      clearAppsDataParams: { packageNames: package_names },
    }),
    ...(reset_password_flags !== undefined && { resetPasswordFlags: reset_password_flags }),
    ...(given.new_password !== undefined && { newPassword: given.new_password }),
  }
}
