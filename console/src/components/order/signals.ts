import { nameIn } from '../format.ts'

const SIGNALS: Readonly<Record<string, string>> = {
  velocity: 'Velocity',
  amount_anomaly: 'Amount',
  location_anomaly: 'Location',
  device_anomaly: 'Device',
  time_anomaly: 'Time of day',
  pattern: 'Pattern',
}

export const ORDER_FLAGS = [
  'high_velocity',
  'amount_anomaly',
  'location_anomaly',
  'device_anomaly',
  'time_anomaly',
  'pattern_anomaly',
] as const

export const signalName = (signal: string): string => nameIn(SIGNALS, signal)

/** 14:00 */
export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
