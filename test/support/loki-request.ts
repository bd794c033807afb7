/**
 * A request as Promtail sends it: `PushRequest` of github.com/grafana/loki/pkg/push with one stream of three
 * lines, compressed by github.com/golang/snappy.
 */
export const LOKI_REQUEST = Buffer.from(
  'xgb0dQEKwwYKcXtjYXRlZ29yeT0icGF5bWVudCIsIGVudj0icHJvZHVjdGlvbiIsIGhvc3Q9InRpbGwtMTIiLCBqb2' +
    'I9ImNoZWNrb3V0IiwgbGV2ZWw9ImVycm9yIiwgcGF0aD0iQzpcXGxvZ3NcXFwiYVwiLmxvZyJ9EmcKCwiA4s+qBhCV' +
    'mu86Eh1DYXJkIHJlYWRlciA3IGRvZXMgbm90IGFuc3dlchosCgh0cmFjZV9pZBIgNGJmOTJmMzU3N2IzNGRhNmEzY2' +
    'U5MjlkMGUwZTQ3MzYaCwoFb3JkZXISAjE3ElQKCwiB4s+qBhCVmu86EkV7Im1lc3NhZ2UiOiJQYWlkIiwibGV2ZWwi' +
    'OiJpbmZvIiwiYW1vdW50IjoxMi41LCJpZCI6OTAwNzE5OTI1NDc0MDk5M30SjgQKCwiC4s+qBhCVmu86Ev4DUmVjZW' +
    'lwdCBwcmludGVkLiBSZWNlaXB0IHByaW50ZWQuIFJlY2VpcHQgcHJpbv4iAP4iAP4iAP4iAP4iAP4iAP4iAD4iAA==',
  'base64',
)
