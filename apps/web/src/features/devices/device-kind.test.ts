import { expect, test } from 'vitest'
import { deviceKind } from './device-kind.ts'

test.each([
  ['iPhone', 'iOS 18', 'phone'],
  ['手机', 'Android 15', 'phone'],
  ['Pixel 8', 'Android 15', 'phone'],
  ['iPad', 'iOS 18', 'tablet'],
  ['平板', 'Android 14', 'tablet'],
  ['电脑', 'macOS 10', 'laptop'],
  ['电脑', 'Windows 10', 'desktop'],
  ['电脑', 'Linux', 'desktop'],
  ['电视', 'Android 12', 'tv'],
  ['未知设备', '未知系统', 'unknown'],
])('%s with %s is a %s', (device, os, kind) => expect(deviceKind({ device, os })).toBe(kind))
