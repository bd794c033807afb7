import { nameIn } from '../../components/index.ts'

const SIGNALS: Readonly<Record<string, string>> = {
  domain_age: 'Domain age',
  mx: 'Mail servers',
  disposable: 'Disposable mailbox',
  velocity: 'Velocity',
  phone: 'Phone number',
  device: 'Device',
  ip: 'IP address',
}

export const signalName = (signal: string): string => nameIn(SIGNALS, signal)

type Subject = Record<'email' | 'phone' | 'fingerprint_hash', string | null>

/** The subject of a check in one line. */
export function subjectOf({ email, phone, fingerprint_hash }: Subject): string {
  const device = fingerprint_hash === null ? null : `device ${fingerprint_hash}`
  return [email, phone, device].filter((text) => text !== null).join(' · ') || 'Device'
}
