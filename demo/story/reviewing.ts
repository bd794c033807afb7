/** How the reviewers work, and what they write. */
import type { Truth } from './event.ts'

export const REVIEWING = {
  /** By UTC. */
  hours: [9, 15],
  /** Nothing is decided in the last hours: that is left for whoever tries it out. */
  stop_hours: 26,
  left_share: 0.06,
  note_share: 0.55,
  seconds_each: 95,
} as const

export const NOTES: Readonly<Record<Truth, readonly string[]>> = {
  honest: [
    'Customer called back, order is theirs',
    'Bulk order for an event, confirmed by e-mail',
    'New telephone, same address and card',
    'Checked with the shop, all in order',
  ],
  takeover: [
    'Owner did not order this; password was reset',
    'Parcel shop abroad, owner is at home',
    'Device unknown to the owner, order stopped',
  ],
  card_testing: [
    'Card testing, one device',
    'Cards of many issuers, one address',
    'Reported to the acquirer',
  ],
  shared_device: [
    'Same forwarding address as the others',
    'One household, twelve accounts',
    'Goods stopped at the depot',
  ],
  theft: [
    'No receipt exists for this refund',
    'Camera shows no customer at the till',
    'Passed on to the manager of the shop',
  ],
}
