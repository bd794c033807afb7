import { describe, expect, it } from 'vitest'
import { identify } from './identity.ts'
import type { DeviceRow } from './record.ts'
import { readReport } from './report.ts'

const name = (device: string) => `enterprises/LC1/devices/${device}`
const instant = (seconds: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + seconds * 1000)

const row = (device: string, members: Partial<DeviceRow> = {}) =>
  ({
    id: device,
    provider_name: name(device),
    state: 'active',
    enrolled_at: instant(0),
    last_report_at: instant(100),
    serial_number: 'S1',
    brand: 'google',
    model: 'Pixel 9',
    enterprise_specific_id: null,
    ...members,
  }) as DeviceRow

function report(device: string, members: object = {}) {
  const read = readReport({
    name: name(device),
    enrollmentTime: instant(200).toISOString(),
    hardwareInfo: { brand: 'google', model: 'Pixel 9', serialNumber: 'S1' },
    ...members,
  })
  if (!read) throw new Error('The report is malformed')
  return read
}
const found = (read: ReturnType<typeof report>, rows: DeviceRow[], former: string[] = []) => {
  const identified = identify(read, rows, (each) => former.includes(each))
  return identified.kind === 'known' ? identified.row.id : identified.kind
}

describe('a report', () => {
  it('is about the device with its name before all others', () => {
    const previousDeviceNames = [name('old')]
    expect(found(report('d1', { previousDeviceNames }), [row('old'), row('d1')])).toBe('d1')
  })

  it('is about the latest of the devices that the phone was before', () => {
    const previousDeviceNames = [name('a'), name('b'), name('gone')]
    expect(found(report('d1', { previousDeviceNames }), [row('a'), row('b')])).toBe('b')
  })

  it('is late under a former name', () => {
    expect(found(report('old'), [row('d1', { state: 'deleted' })], [name('old')])).toBe('former')
  })

  it('is about a deleted device with the same serial number, brand and model', () => {
    const ended = row('old', { state: 'deleted' })
    expect(found(report('d1'), [ended])).toBe('old')
    expect(found(report('d1'), [row('old')])).toBe('new')
    expect(found(report('d1'), [{ ...ended, model: 'Pixel 8' }])).toBe('new')
    expect(found(report('d1'), [{ ...ended, serial_number: 'S2' }])).toBe('new')
  })

  it('is about a new device when several share its serial number, or its enrollment overlaps', () => {
    const ended = row('old', { state: 'deleted' })
    expect(found(report('d1'), [ended, row('older', { state: 'deleted' })])).toBe('new')
    const during = { enrollmentTime: instant(100).toISOString() }
    expect(found(report('d1', during), [ended])).toBe('new')
  })

  it('is about the device with its enterprise identifier, unless it is older than the enrollment', () => {
    const specific = {
      hardwareInfo: { serialNumber: 'E1', enterpriseSpecificId: 'E1' },
    }
    const rows = [
      row('first', { enterprise_specific_id: 'E1', enrolled_at: instant(-5) }),
      row('second', { enterprise_specific_id: 'E1' }),
    ]
    expect(found(report('d1', specific), rows)).toBe('second')
    const early = { ...specific, enrollmentTime: instant(-1).toISOString() }
    expect(found(report('d1', early), rows)).toBe('former')
  })
})
