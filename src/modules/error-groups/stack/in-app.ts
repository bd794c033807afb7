/**
 * Decides which frames belong to the application. Frames of libraries change with their versions and
 * are part of many unrelated errors. Each language has a list of the most frequent libraries.
 */
import { words } from '../words.ts'

const VENDOR_SCRIPTS = words(
  `vendor vendors polyfill polyfills framework runtime jquery react-dom react zone angular vue
  lodash webpack-runtime commons`,
)

/** @param path as the engine reports it @param place from `scriptPlace` */
export function isAppScript(path: string, place: string): boolean {
  if (path.startsWith('node:') || path.startsWith('internal/') || path.startsWith('<')) return false
  if (path.includes('node_modules') || path.includes('-extension://')) return false
  return !VENDOR_SCRIPTS.has(place) && !path.includes('webpack/bootstrap')
}

const JVM_ROOTS = words(
  `java javax jakarta kotlin kotlinx android androidx dalvik libcore sun jdk scala groovy clojure
  rx okhttp3 okio retrofit2 reactor dagger junit lombok bolts leakcanary coil timber akka play
  feign brave zipkin2`,
)
const JVM_LIBRARIES = words(
  `com.android com.sun com.google com.fasterxml com.zaxxer com.mysql com.mongodb com.netflix
  com.squareup com.facebook com.amazonaws com.microsoft com.samsung com.huawei com.miui
  com.bumptech com.airbnb com.github org.springframework org.apache org.hibernate org.eclipse
  org.jboss org.postgresql org.junit org.codehaus org.aspectj org.slf4j org.jetbrains org.redisson
  org.quartz org.json org.mozilla org.xerial io.netty io.reactivex io.micrometer io.grpc io.ktor
  io.vertx io.undertow io.lettuce io.sentry io.micronaut io.quarkus io.opentelemetry io.swagger
  net.sf net.bytebuddy ch.qos redis.clients software.amazon`,
)

export function isAppClass(name: string): boolean {
  const first = name.indexOf('.')
  if (first < 0) return true
  if (JVM_ROOTS.has(name.slice(0, first))) return false
  const second = name.indexOf('.', first + 1)
  return second < 0 || !JVM_LIBRARIES.has(name.slice(0, second))
}

export function isAppPython(path: string): boolean {
  if (path.startsWith('<')) return false
  const unix = path.includes('\\') ? path.replaceAll('\\', '/') : path
  if (unix.includes('/site-packages/') || unix.includes('/dist-packages/')) return false
  return !/\/lib\/python\d|\/Python\d+\/Lib\//i.test(unix)
}

const DOTNET_ROOTS = words(
  `System Microsoft MS Mono Internal Interop Newtonsoft Npgsql MySql MySqlConnector Oracle MongoDB
  StackExchange Dapper Polly Serilog NLog log4net Castle Autofac MediatR AutoMapper
  FluentValidation Grpc Google Azure Amazon RestSharp Refit Hangfire Quartz MassTransit RabbitMQ
  Xamarin Java Android UnityEngine UnityEditor Unity Swashbuckle Moq NUnit Xunit lambda_method
  DynamicClass`,
)

export function isAppDotnet(name: string): boolean {
  const end = name.search(/[.(:[`]/)
  return !DOTNET_ROOTS.has(end < 0 ? name : name.slice(0, end))
}

const GO_STANDARD = words(
  `runtime net os sync reflect testing encoding io fmt bufio bytes strings database time context
  syscall internal errors sort strconv log crypto math regexp html text compress archive go path
  plugin unicode mime image hash container embed expvar flag index iter maps slices unsafe cmp
  debug panic vendor`,
)

export function isAppGo(name: string, file: string): boolean {
  if (file.includes('/pkg/mod/') || file.includes('/vendor/') || file.includes('@v')) return false
  const end = name.search(/[./]/)
  return !GO_STANDARD.has(end < 0 ? name : name.slice(0, end))
}

const APPLE_BINARIES = words(
  `UIKit UIKitCore Foundation CoreFoundation AppKit SwiftUI SwiftUICore Combine CFNetwork
  QuartzCore CoreData CoreAnimation CoreGraphics CoreText CoreLocation CoreBluetooth CoreMedia
  CoreServices AVFoundation AVFCore AVKit GraphicsServices FrontBoardServices BaseBoard
  RunningBoardServices JavaScriptCore WebKit WebCore Security StoreKit MapKit Metal MetalKit
  UserNotifications HIToolbox AttributeGraph Network dyld XCTest UIFoundation TextInput PhotosUI
  ???`,
)

export const isAppBinary = (name: string): boolean =>
  !APPLE_BINARIES.has(name) && !(name.startsWith('lib') && name.endsWith('.dylib'))

const DART_PACKAGES = words(
  `flutter flutter_test flutter_bloc bloc provider riverpod flutter_riverpod hooks_riverpod async
  stack_trace http dio get get_it rxdart sqflite hive drift go_router intl collection test
  test_api matcher shelf cloud_firestore firebase_core shared_preferences flutter_localizations
  mobx flutter_mobx`,
)

export function isAppDart(uri: string): boolean {
  if (uri.startsWith('dart:') || uri.startsWith('org-dartlang-')) return false
  if (!uri.startsWith('package:')) return true
  return !DART_PACKAGES.has(uri.slice(8, uri.indexOf('/')))
}

export const isAppPhp = (path: string): boolean =>
  !path.startsWith('[internal') && !path.includes('/vendor/') && !path.includes('\\vendor\\')
