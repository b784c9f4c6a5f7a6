"""A picture by Cycles, Blender's path tracer, whose kernels are PTX in its package, against its code for the host."""
import sys
import tempfile

import bpy
import numpy

WIDTH, HEIGHT = 48, 32


def choose_device(scene, device):
    preferences = bpy.context.preferences.addons["cycles"].preferences
    preferences.compute_device_type = "CUDA" if device == "GPU" else "NONE"
    preferences.get_devices()
    for found in preferences.devices:
        found.use = found.type == "CUDA"
    scene.cycles.device = device
    return device == "CPU" or any(found.use for found in preferences.devices)


def material(name, **inputs):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    surface = made.node_tree.nodes["Principled BSDF"]
    for key, value in inputs.items():
        surface.inputs[key.replace("_", " ")].default_value = value
    return made


def place(scene, data, location, rotation):
    made = bpy.data.objects.new(data.name, data)
    made.location, made.rotation_euler = location, rotation
    scene.collection.objects.link(made)
    return made


def add_objects(scene):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1, location=(0, 0, 1))
    bpy.ops.object.shade_smooth()
    bpy.context.object.data.materials.append(material("metal", Base_Color=(0.8, 0.2, 0.1, 1), Metallic=0.5))
    bpy.ops.mesh.primitive_cube_add(size=1, location=(2, 1, 0.5))
    checked = material("checked", Roughness=0.1)
    texture = checked.node_tree.nodes.new("ShaderNodeTexChecker")
    checked.node_tree.links.new(texture.outputs["Color"],
                                checked.node_tree.nodes["Principled BSDF"].inputs["Base Color"])
    bpy.context.object.data.materials.append(checked)
    bpy.ops.mesh.primitive_plane_add(size=10)
    light = bpy.data.lights.new("light", "AREA")
    light.energy = 500
    place(scene, light, (3, -3, 5), (0.6, 0.3, 0))
    scene.camera = place(scene, bpy.data.cameras.new("camera"), (5, -5, 3.5), (1.2, 0, 0.785))


def render(device, path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    if not choose_device(scene, device):
        return None
    scene.cycles.samples, scene.cycles.max_bounces, scene.cycles.seed = 4, 4, 1
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    scene.render.filepath = path
    add_objects(scene)
    bpy.ops.render.render(write_still=True)
    return numpy.array(bpy.data.images.load(path).pixels[:])


def main():
    with tempfile.TemporaryDirectory() as folder:
        expected, found = (render(device, f"{folder}/{device}.exr") for device in ("CPU", "GPU"))
    off = numpy.inf if found is None else numpy.abs(found - expected).max()
    print(f"at most {off:.1e} off")
    is_right = expected.std() > 0.1 and off < 1e-4
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
