# Runs a program with a service at the default socket, and says how many clients
# the service had: device-service-found.sh PYTHON PROGRAM
heddle-deviced --devices=hd10 >/dev/null &
while ! heddle-deviced --status >/dev/null 2>&1; do sleep 0.1; done
served() { heddle-deviced --status | "$1" -c 'import json,sys; print(sum(u["clients"] for u in json.load(sys.stdin)["ended"]))'; }
result=$(ptx-env "$1" "$2" compute)
sleep 0.3
first=$(served "$1")
echo "with $first, $result"
result=$(HEDDLE_DEVICE_SERVICE=off ptx-env "$1" "$2" compute)
sleep 0.3
echo "off $(($(served "$1") - first)), $result"
kill $!
wait
