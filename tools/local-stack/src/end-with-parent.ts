// Preloaded into every service of the local platform (node --import). When the platform is killed and cannot stop its
// services any more, the channel to it closes. Then the service shuts down as on SIGTERM.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep a service alive that has nothing left to do.
process.channel?.unref();
