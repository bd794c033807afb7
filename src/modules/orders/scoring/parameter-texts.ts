/**
 * Texts for each number of the rules in the rules lab: label, unit, meaning, effect of raising it,
 * and the range of its slider.
 */
import { recordOf } from '../../risk/index.ts'
import type { OrderParameters } from './parameters.ts'
import { ORDER_SIGNALS, type OrderSignal } from './signals.ts'

export type ParameterText = {
  label: string
  /** Empty for a plain number. */
  unit: string
  about: string
  raising: string
  /** End of the slider; larger allowed values can be typed. */
  slider_max: number
  step: number
}

export type SectionText<Section> = {
  title: string
  about: string
  parameters: Readonly<Record<keyof Section, ParameterText>>
}

type Texts = { readonly [Section in keyof OrderParameters]: SectionText<OrderParameters[Section]> }

const SIGNAL_LABELS: Readonly<Record<OrderSignal, string>> = {
  velocity: 'Velocity',
  amount_anomaly: 'Amount anomaly',
  location_anomaly: 'Location anomaly',
  device_anomaly: 'Device anomaly',
  time_anomaly: 'Time anomaly',
  pattern: 'Pattern',
}

const SIGNAL_ABOUT: Readonly<Record<OrderSignal, string>> = {
  velocity: 'More orders in a short time than usual',
  amount_anomaly: 'An amount far from the usual one',
  location_anomaly: 'An unusual place or an implausible journey',
  device_anomaly: 'A new or shared device, or one known from fraud',
  time_anomaly: 'An hour with hardly any orders',
  pattern: 'Suspicious payments, items or review outcomes',
}

/** Text for the strength of a finding, 0-100. */
const score = (
  label: string,
  about: string,
  raising = 'Orders with this finding get a higher score.',
): ParameterText => ({ label, unit: 'of 100', about, raising, slider_max: 100, step: 1 })

/** Text for the upper limit of a strength. */
const limit = (label: string, about: string): ParameterText =>
  score(label, about, 'The finding can reach a higher strength.')

const number = (
  label: string,
  unit: string,
  about: string,
  rest: Pick<ParameterText, 'raising' | 'slider_max' | 'step'>,
): ParameterText => ({ label, unit, about, ...rest })

export const PARAMETER_TEXTS: Texts = {
  weights: {
    title: 'Weights',
    about: 'The cap of each signal: alone it can reach a score of 100 times its weight.',
    parameters: recordOf(ORDER_SIGNALS, (signal) => ({
      label: SIGNAL_LABELS[signal],
      unit: 'share',
      about: `${SIGNAL_ABOUT[signal]}.`,
      raising: 'Such orders get a higher score; at 0 the signal has no effect.',
      slider_max: 0.99,
      step: 0.01,
    })),
  },
  flag_scores: {
    title: 'Flags',
    about:
      'The strength from which an order carries the flag of a signal. Flags do not change the score.',
    parameters: recordOf(ORDER_SIGNALS, (signal) =>
      score(SIGNAL_LABELS[signal], `${SIGNAL_ABOUT[signal]}.`, 'Fewer orders carry the flag.'),
    ),
  },
  history: {
    title: 'New organizations and learning',
    about:
      'How long statistics have a limited effect, and which orders do not change what is usual.',
    parameters: {
      known_orders: number(
        'Orders until established',
        'orders',
        'With fewer orders, statistics are unreliable and only hard rules flag orders.',
        { raising: 'Statistics have a limited effect for longer.', slider_max: 1000, step: 1 },
      ),
      new_score_max: limit(
        'Limit for new organizations',
        'The highest score that statistics can give an order until then.',
      ),
      held_back_score: score(
        'Held back from',
        'Orders with at least this score are not learned until they are decided to be legitimate.',
        'More suspicious orders become part of what is usual.',
      ),
    },
  },
  velocity: {
    title: 'Velocity',
    about: 'How many orders are usual, and how many people share a device or an address.',
    parameters: {
      profile_per_day: number(
        'Orders per day and profile',
        'per day',
        'The usual rate of a profile until the organization has its own.',
        { raising: 'Bursts of orders by new profiles count less.', slider_max: 10, step: 0.1 },
      ),
      device_people: number(
        'People behind a device',
        'people',
        'Order counts of a device are divided by this number.',
        { raising: 'Many orders from one device count less.', slider_max: 50, step: 0.5 },
      ),
      ip_people: number(
        'People behind an address',
        'people',
        'Order counts of an address are divided by this number.',
        { raising: 'Many orders from one address count less.', slider_max: 500, step: 1 },
      ),
      device_score_max: limit(
        'Limit for a device',
        'The highest strength for many orders from one device.',
      ),
      ip_score_max: limit(
        'Limit for an address',
        'The highest strength for many orders from one address, which can belong to an office or a carrier.',
      ),
      split_score_max: limit(
        'Limit for split amounts',
        'The highest strength for an amount that was possibly split into several orders.',
      ),
    },
  },
  amounts: {
    title: 'Amounts',
    about: 'How far an amount must be from the usual.',
    parameters: {
      half_surprise: number(
        'Surprise at half strength',
        'powers of ten',
        'The rarity of an amount at which the signal is 50: 3.7 is one order in 5,000.',
        { raising: 'Only rarer amounts count.', slider_max: 10, step: 0.1 },
      ),
      steepness: number(
        'Steepness',
        'per power of ten',
        'How fast the signal grows around that rarity.',
        {
          raising: 'The signal rises from 0 to 100 within a smaller range.',
          slider_max: 10,
          step: 0.1,
        },
      ),
      repeated_surprise: number(
        'Repeated surprise',
        'powers of ten',
        'How much each unusual amount of the last days adds to the rarity of the next one.',
        { raising: 'A series of unusual amounts counts more.', slider_max: 5, step: 0.05 },
      ),
      settled_orders: number(
        'Orders until settled',
        'orders',
        'With fewer orders, a profile is compared with the whole organization.',
        {
          raising: 'New customers are compared with all others for longer.',
          slider_max: 50,
          step: 1,
        },
      ),
      settled_days: number(
        'Days until settled',
        'days',
        'A profile whose first order is more recent is compared with the whole organization.',
        {
          raising: 'New customers are compared with all others for longer.',
          slider_max: 90,
          step: 1,
        },
      ),
      settled_score_max: limit(
        'Limit for settled customers',
        'The highest strength of an amount for a profile with a history.',
      ),
      stranger_score_max: limit(
        'Limit for new customers',
        'The highest strength of an amount for a profile without a history, or without a profile.',
      ),
      record_score: score(
        'Largest amount so far',
        'The least strength of an unusual amount that clearly exceeds all others of the organization, for a profile without a history.',
      ),
      tiny_share: number(
        'Tiny below',
        'of the usual',
        'An order below this share of the usual amount is tiny, the size used for testing stolen cards.',
        { raising: 'More orders count as tiny.', slider_max: 1, step: 0.01 },
      ),
      tiny_score: score(
        'Tiny order',
        'The strength of a tiny order by a profile that usually spends more.',
      ),
    },
  },
  hours: {
    title: 'Hours',
    about: 'The local hour at the place of the order.',
    parameters: {
      prior_orders: number(
        'Orders of the organization',
        'orders',
        'Weight of the organization’s hours against those of a profile, in orders.',
        {
          raising: 'A profile needs more orders before its own hours count.',
          slider_max: 200,
          step: 1,
        },
      ),
      score_max: limit('Limit for the hour', 'The highest strength of an unusual hour.'),
    },
  },
  places: {
    title: 'Places and journeys',
    about: 'Which journeys are implausible and which places are unusual.',
    parameters: {
      slack_km: number(
        'Slack',
        'km',
        'Subtracted from every distance, because positions are imprecise.',
        { raising: 'Journeys count as slower.', slider_max: 500, step: 5 },
      ),
      far_km: number('Far from', 'km', 'Shorter journeys are never called impossible.', {
        raising: 'Only longer journeys count.',
        slider_max: 2000,
        step: 10,
      }),
      impossible_kmh: number(
        'Impossible from',
        'km/h',
        'Faster journeys are impossible. Must exceed the fast speed.',
        { raising: 'Fewer journeys are impossible.', slider_max: 5000, step: 10 },
      ),
      fast_kmh: number(
        'Fast from',
        'km/h',
        'The strength grows from this speed to the impossible one.',
        {
          raising: 'Fewer journeys are fast.',
          slider_max: 5000,
          step: 10,
        },
      ),
      impossible_score: score('Impossible journey', 'The strength of an impossible journey.'),
      remote_score: limit(
        'Limit for remote orders',
        'The highest strength of a journey when a position can be a delivery address.',
      ),
      remote_usual_score: limit(
        'Limit for remote orders at usual places',
        'The highest strength of such a journey to a place where the profile often orders.',
      ),
      unusual_place_score: score(
        'Unusual place',
        'The strength of a place far from all usual places of the profile.',
      ),
      new_country_score: score(
        'New country',
        'The strength of a country that is new for the profile.',
      ),
      away_score: limit(
        'Limit for new places abroad',
        'The highest strength of an unusual place in a new country.',
      ),
      country_mismatch_score: score(
        'Contradicted country',
        'The strength of coordinates far outside of the stated country.',
      ),
    },
  },
  devices: {
    title: 'Devices',
    about: 'How much new and shared devices and devices known from fraud count.',
    parameters: {
      flagged_score: score(
        'Device known from fraud',
        'The least strength of a device that was used for confirmed fraud.',
      ),
      check_risk_min: score(
        'Device checks count from',
        'Checks of the device with a lower score have no effect.',
        'Fewer device checks affect orders.',
      ),
      public_score: limit(
        'Limit for public devices',
        'The highest strength of a device that many people have long shared.',
      ),
      new_device_score: score(
        'New device',
        'A new device of a settled profile with nothing else unusual.',
      ),
      new_device_far_score: score(
        'New device far away',
        'A new device of a settled profile, far from its usual places.',
      ),
      new_device_large_score: score(
        'New device, large amount',
        'A new device of a settled profile with a large amount.',
      ),
      takeover_score: score(
        'Account takeover',
        'A new device of a settled profile, far from its usual places and with a large amount.',
      ),
      anomaly_score: score(
        'Reported for profiles from',
        'The strength from which a profile upsert returns the pattern as device_anomaly.',
        'Fewer profile upserts return a device anomaly. Scores of orders do not change.',
      ),
    },
  },
  payments: {
    title: 'Payments and items',
    about: 'Changed payment methods, and items that do not match the total.',
    parameters: {
      switch_score: score('Changed method', 'A change of a long-used payment method.'),
      crypto_switch_score: score(
        'Switch to crypto',
        'A change from a long-used payment method to crypto.',
      ),
      crypto_new_device_score: score(
        'First crypto, new device',
        'The first crypto payment, from a device that is new for the profile.',
      ),
      new_method_new_device_score: score(
        'New method, new device',
        'The first payment by any other method except cash, from a device that is new for the profile.',
      ),
      mismatch_score: score(
        'Total mismatch',
        'Items and total differ by more than a factor of two.',
      ),
      absurd_mismatch_score: score(
        'Extreme total mismatch',
        'Items and total differ by a factor of five or more.',
      ),
      quantity_score: score(
        'Huge quantity',
        'Ten times more pieces of one item than in any earlier order, or an implausible number.',
      ),
    },
  },
}
