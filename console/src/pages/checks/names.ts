/** Names of the signals of a check, in words. */
const SIGNALS: Readonly<Record<string, string>> = {
  domain_age: 'Age of the domain',
  mx: 'Mail servers of the domain',
  disposable: 'Disposable mailbox',
  velocity: 'Velocity',
  phone: 'Phone number',
  device: 'Device',
  ip: 'IP address',
}

export const signalName = (signal: string): string =>
  Object.hasOwn(SIGNALS, signal) ? (SIGNALS[signal] ?? signal) : signal.replaceAll('_', ' ')

/** What a check was about, in one line. */
export function subjectOf(check: {
  email: string | null
  phone: string | null
  fingerprint_hash: string | null
}): string {
  const { email, phone, fingerprint_hash } = check
  const device = fingerprint_hash === null ? null : `device ${fingerprint_hash}`
  return [email, phone, device].filter((text) => text !== null).join(' · ') || 'a device'
}
