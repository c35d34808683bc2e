export default function stopBackends() {}
